"""Snapshots of a table as a browser sees it, and the messages built from them: whole states and small patches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

from msgspec.structs import asdict

from fourcorners.core.game import Game, View
from fourcorners.core.scene import Overlay, Scene, add_overlay, diff_scenes, render_miniature
from fourcorners.core.termination import Termination
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.study.results import describe_verdict, format_score
from fourcorners.web.domain.actions import list_allowed_verbs
from fourcorners.web.domain.chat_rules import PHRASES, derive_mute_key
from fourcorners.web.domain.premoves import LinePreview, list_remaining_lines
from fourcorners.web.domain.rating_results import explain_uncounted
from fourcorners.web.domain.rematch import list_missing_seats
from fourcorners.web.domain.rows import Chair, ChatLine
from fourcorners.web.domain.seats import name_players
from fourcorners.web.domain.sentences import write_sentence
from fourcorners.web.domain.table import GUEST, NOT_STARTED, NOT_YOUR_TURN, OVER, YOU, Perspective, Table
from fourcorners.web.protocol import server_messages as messages
from fourcorners.web.protocol import table_fields
from fourcorners.web.protocol.board_picture import (
    MAX_MOVES,
    describe_effects,
    draw_parts,
    draw_tokens,
    label_undrawn_tokens,
)
from fourcorners.web.protocol.client_messages import Preview
from fourcorners.web.protocol.codec import EncodedMessage
from fourcorners.web.protocol.server_messages import encode
from fourcorners.web.protocol.table_fields import Fact

_BY_PLAYERS = {Termination.RESIGNATION, Termination.TIMEOUT, Termination.AGREEMENT}
"""How games end without the board, so that their points decided nothing."""


class Picture:
    """The board of one version as one seat sees it, or as everyone does where nothing is hidden."""

    def __init__(self, table: Table, viewer: int | None) -> None:
        """Draw the current position for a viewer (None: a spectator)."""
        self.view = table.match.position.view(viewer)
        self.scene, self.overlay = _draw_scene(table, self.view)
        self.ply = self.view.ply_count
        self.facts = _list_facts(table, self.view)
        self._narrations = tuple(table.narrate_plies(viewer))
        self._positions = () if _hides_gains(table) else tuple(table.match.positions)
        self.areas = _list_areas(table, self.view)
        self._hidden_clause = table.match.game.spec.presentation.points_clause if table.counts_points else None

    def list_words(self, start: int = 0) -> list[str]:
        """List the plies from one on in words, all by default; without points where players count them."""
        words = [narration.words for narration in self._narrations[start:]]
        return words if self._hidden_clause is None else [self._hidden_clause.sub("", clause) for clause in words]

    def list_miniatures(self, start: int = 0) -> list[str]:
        """List the plies from one on as small pictures; none if the game draws no moves."""
        draw = self.view.game.spec.presentation.draw_move
        if draw is None:
            return []
        parts = [draw(move) for _, move in self.view.list_plies(start)]
        return ["" if part is None else render_miniature(part) for part in parts]

    def list_gains(self, start: int = 0) -> list[int]:
        """List the points that each ply from one on gained its seat; none where the last move wins or players count the
        points.
        """
        pairs = pairwise(self._positions[start:])
        return [after.scores[before.seat or 0] - before.scores[before.seat or 0] for before, after in pairs]

    def list_explanations(self, start: int) -> list[table_fields.ExplanationState]:
        """List the explanations of the plies from one on, one of each id; a negative `start` counts from the end."""
        first = self.view.game.spec.presentation.first_explanation
        # The second player's first hand comes after the first move.
        has_new_hand = self.view.viewer is not None and len(self._narrations) < self.view.game.seats
        shown = [first] if first and has_new_hand else []
        shown += [each for narration in self._narrations[start:] for each in narration.explanations]
        explanations = {each.id: each for each in shown}
        return [table_fields.ExplanationState(id=each.id, sentence=each.sentence) for each in explanations.values()]

    def find_changes(self, old: Picture) -> dict[str, Any]:
        """Return the fields of `Patch` that turn an older picture into this one: the patch, and the new plies."""
        start = self.view.count_common_plies(old.view)
        return {
            "patch": diff_scenes(old.scene, self.scene) or {},
            "plies_from": start,
            "plies": self.view.list_plies(start),
            "words": self.list_words(start),
            "miniatures": self.list_miniatures(start),
            "gains": self.list_gains(start),
            "explanations": self.list_explanations(start),
        }


class Snapshot:
    """One version of a table as one kind of browser sees it; immutable, and shared by many connections.

    `offered` lists the moves that the browser may play now. `board` holds the fields that all messages share.
    """

    def __init__(
        self, table: Table, player: str, perspective: Perspective, picture: Picture, shared: dict[str, Any]
    ) -> None:
        """Take a snapshot for a player's browser. `picture` must be of this version and viewer, and `shared` what
        `_describe_for_all` returns for this version.
        """
        match = table.match
        self.version = table.version
        self.perspective = perspective
        self.picture = picture
        mine = table.can_move(player)
        may_list = mine and (not table.hidden or perspective.viewer == match.seat)
        self.offered = picture.view.offered_moves() if may_list else ()
        names = table.names_for(player)
        self.to_move = "" if table.seat is None else names[table.seat]
        sentence_names = name_players(names, table.kinds, match.position.seat_names)
        self.board = table_fields.BoardFields(
            **shared,
            viewer=perspective.viewer,
            mine=mine,
            seats=table.player_seats(player),
            outcome=_describe_outcome(table, player, names, sentence_names),
            names=names,
            chairs=[_describe_chair(chair, player) for chair in table.chairs],
            may=list_allowed_verbs(table, player),
            facts=picture.facts,
            moves=self.offered if len(self.offered) <= MAX_MOVES else None,
            ply=picture.ply,
            sentence_names=sentence_names,
            labels=label_undrawn_tokens(picture.view, picture.scene, self.offered),
            pictures=draw_tokens(picture.view.game, self.offered),
            effects=describe_effects(picture.view, self.offered),
            curtain=perspective.curtain,
            areas=picture.areas,
            overlay=picture.overlay and picture.overlay.name,
        )
        self.settings = table.row.settings
        self.shuffle = _describe_shuffle(table)
        self.host = player == table.row.owner
        self._study = table.study
        self._clock_label = table.clock.control.label

    @cached_property
    def game(self) -> table_fields.GameInfo:
        """What the game is, made on first use: only whole states and the API contain it."""
        return _describe_game(self.picture.view.game)

    @cached_property
    def state_message(self) -> EncodedMessage:
        """The encoded `state`, made on first use and kept: all that this browser sees of the table."""
        board, tray = draw_parts(self.picture.scene)
        return encode(
            messages.State(
                **asdict(self.board),
                board=board,
                tray=tray,
                plies=self.picture.view.plies,
                words=self.picture.list_words(),
                miniatures=self.picture.list_miniatures(),
                gains=self.picture.list_gains(),
                explanations=self.picture.list_explanations(-1),
                game=self.game,
                settings=self.settings,
                host=self.host,
                shuffle=self.shuffle,
                study=self._study,
                confirm=bool(self.settings.get("confirm")),
                clock_label=self._clock_label,
                phrases=PHRASES,
            )
        )

    def build_patch(self, old: Snapshot, changes: dict[str, Any]) -> EncodedMessage:
        """Return the encoded patch that turns an older snapshot into this one; `changes` are from `find_changes`.

        From a snapshot to itself it has all fields: a client that comes back may have missed what changes without an
        event.
        """
        fields = asdict(self.board)
        if old is not self:
            fields = {name: value for name, value in fields.items() if value != getattr(old.board, name)}
        fields["version"] = self.version
        return encode(messages.Patch(**fields, from_version=old.version, **changes))

    def is_shown_for(self, version: int | None, wanted_seat: int | None) -> bool:
        """Return whether a browser that has this version, seen by that seat, already shows this snapshot."""
        return version == self.version and wanted_seat == self.perspective.viewer

    def complete_tokens(self, tokens: list[str]) -> messages.CompleteAnswer:
        """Return the tokens that can follow the first ones of a move, none if no move is offered, and whether they are
        a move.
        """
        following = self.picture.view.complete(tokens) if self.offered else []
        labels = {token: self.board.labels[token] for token in following if token in self.board.labels}
        is_move = " ".join(tokens) in self.offered
        return messages.CompleteAnswer(tokens=tokens, next=following, move=is_move, labels=labels)

    def explain_refusal(self, text: str) -> messages.WhyAnswer:
        """Return why a move, or the beginning of one, is refused now; code and sentence are None if it is legal."""
        code: str | None
        clause: str | None
        if self.board.over:
            clause, code = OVER
        elif not self.to_move:
            clause, code = NOT_STARTED
        elif not self.board.mine:
            code, clause = "not-your-turn", NOT_YOUR_TURN.format(self.to_move)
        else:
            code, clause = self.picture.view.why(text) or (None, None)
        return messages.WhyAnswer(text=text, code=code, sentence=clause and write_sentence(clause))


class SnapshotCache:
    """The snapshots of one version of a table: one for all browsers that see the same."""

    def __init__(self, version: int) -> None:
        """Start without snapshots of the version."""
        self.version = version
        self._shared: dict[str, Any] = {}
        self._snapshots: dict[tuple[str, int | None, bool], Snapshot] = {}
        self._pictures: dict[int | None, Picture] = {}

    def find_or_build(self, table: Table, player: str, wanted_seat: int | None, now: float) -> Snapshot:
        """Return the snapshot, kept or taken at `now`, for a browser that asks to see this version as `wanted_seat`."""
        perspective = table.choose_perspective(player, wanted_seat)
        # All spectators share one snapshot.
        key = (player if table.is_participant(player) else "", perspective.viewer, perspective.curtain)
        if key not in self._snapshots:
            viewer = perspective.viewer if table.hidden else None
            if viewer not in self._pictures:
                self._pictures[viewer] = Picture(table, viewer)
            self._shared = self._shared or _describe_for_all(table, now)
            self._snapshots[key] = Snapshot(table, player, perspective, self._pictures[viewer], self._shared)
        return self._snapshots[key]


class UpdateCache:
    """The messages that turn old snapshots into new ones, each built once for all browsers that need it."""

    def __init__(self) -> None:
        """Start without messages."""
        self._messages: dict[tuple[Snapshot, Snapshot], EncodedMessage] = {}
        self._changes: dict[tuple[Picture, Picture], dict[str, Any]] = {}

    def find_or_build(self, old: Snapshot | None, new: Snapshot) -> EncodedMessage:
        """Return the patch from the snapshot that a browser shows, or the whole state if it shows none."""
        # A patch does not describe the game and the shuffle: both change only before and at the start.
        if old is None or (old.picture.view.game, old.shuffle) != (new.picture.view.game, new.shuffle):
            return new.state_message
        if (old, new) not in self._messages:
            pictures = old.picture, new.picture
            if pictures not in self._changes:
                self._changes[pictures] = new.picture.find_changes(old.picture)
            self._messages[old, new] = new.build_patch(old, self._changes[pictures])
        return self._messages[old, new]


def _describe_for_all(table: Table, now: float) -> dict[str, Any]:
    """Return the fields of `BoardFields` that are the same for everyone, at server time `now`."""
    match, undo = table.match, table.takeback_request
    is_over = match.is_over
    return {
        "version": table.version,
        "seat": table.seat,
        "started": table.started is not None,
        "over": table.is_over,
        "result": match.result,
        "scores": () if table.hides_points else match.position.scores,
        "out": list(match.out),
        "kinds": table.kinds,
        "clock": table.clock.read(now),
        "draw": match.draw_offer,
        "takeback_request": undo
        and table_fields.TakebackRequestState(by=undo.seat, ply=undo.ply, missing=table.unanswered_takeback_seats),
        "rematch_request": _describe_rematch(table),
        "rematch": table.rematch_id,
        "commitment": match.commitment or None,
        "nonce": (match.nonce or None) if is_over else None,
        "moved": table.rating_changes,
        "unrated": explain_uncounted(table),
        "revealed": table.is_revealed,
        "count": table.counts_points and match.position.is_over,
    }


def _describe_rematch(table: Table) -> table_fields.RematchRequestState | None:
    request = table.rematch_request
    if request is None or table.rematch_id is not None:
        return None
    return table_fields.RematchRequestState(
        by=next(iter(request.hashes), None), missing=list_missing_seats(table), declined=request.declined
    )


def _hides_gains(table: Table) -> bool:
    """Return whether points mean nothing, or players count them."""
    return table.counts_points or table.match.game.spec.scoring == "last-move"


def _describe_game(game: Game) -> table_fields.GameInfo:
    spec, play = game.spec, game.spec.part(ComputerPlay)
    return table_fields.GameInfo(
        id=game.id,
        title=game.title,
        seats=game.seats,
        seat_names=game.seat_names,
        options=game.given_options(),
        hidden=spec.hidden,
        teams=game.options.parties,
        levels=len(play.levels),
        scoring=spec.scoring,
        points=None if play.count_points_left is None else play.count_points_left(game.start().record),
        prompts=spec.presentation.prompts,
        colours=_describe_colours(game),
    )


def _describe_outcome(
    table: Table, player: str, names: Sequence[str], sentence_names: Sequence[str]
) -> table_fields.Outcome | None:
    """Describe how a game ended for a player, who reads these names; None while it runs."""
    match, outcome = table.match, table.match.outcome
    if outcome is None:
        return None
    verdict = describe_verdict(outcome.winners, sentence_names, match.game, table.player_seats(player))
    if outcome.termination not in _BY_PLAYERS and not table.hides_points:
        score = format_score(outcome.winners, match.position.scores, match.game, table.player_seats(player))
        verdict = f"{verdict} {score}".rstrip()
    reason = outcome.reason
    if names != match.names and reason.startswith(f"{YOU} "):
        reason = reason.replace(YOU, GUEST, 1)
    termination = Termination.COMPLETE if outcome.termination is None else outcome.termination
    return table_fields.Outcome(verdict=verdict, winners=outcome.winners, reason=reason, termination=termination.value)


def _describe_colours(game: Game) -> table_fields.ColourInfo | None:
    colours = game.spec.seat_colours
    return None if colours is None else table_fields.ColourInfo(value=colours.read(game), names=colours.names)


def _describe_shuffle(table: Table) -> table_fields.ShuffleState | None:
    if table.shuffle is None:
        return None
    values = table.shuffle.values if table.started is not None else [None] * len(table.chairs)
    hashes = tuple(table.shuffle.hashes)
    return table_fields.ShuffleState(hashes=hashes, values=values, waiting=bool(table.unrevealed_seats))


def _describe_chair(chair: Chair, player: str) -> table_fields.ChairState:
    is_reserved = chair.player is not None and not chair.taken
    return table_fields.ChairState(taken=chair.taken, mine=chair.player == player, kept=is_reserved)


def _list_facts(table: Table, view: View) -> tuple[Fact, ...]:
    """List the facts beside the board, and that points are hidden while they are."""
    hidden = ((None, "points", "hidden until the end"),) if table.hides_points else ()
    return (*view.facts(), *hidden)


def _list_areas(table: Table, view: View) -> list[table_fields.AreaState]:
    """List all that counts on a final board whose points were hidden; none before, or if they were not."""
    if not table.counts_points or not view.is_over:
        return []
    return [table_fields.AreaState(**area._asdict()) for area in view.game.spec.presentation.list_areas(view)]


def _draw_scene(table: Table, view: View) -> tuple[Scene, Overlay | None]:
    """Draw a view with the game's overlay for study, and return both; no overlay unless everything may be shown."""
    overlay = view.overlay() if table.is_revealed else None
    scene = view.scene()
    return (scene if overlay is None else add_overlay(scene, overlay)), overlay


def build_look(table: Table, viewer: int | None, ply: int) -> messages.LookAnswer:
    """Draw the position after `ply` plies, 0 or more, for a viewer (None: a spectator); raise IndexError if none. A
    finished game with hidden hands is shown as the seat to move saw it.
    """
    position = table.match.positions[ply]
    if table.hidden and table.is_revealed and position.seat is not None:
        viewer = position.seat
    view = position.view(viewer)
    board, tray = draw_parts(_draw_scene(table, view)[0])
    scores = () if table.hides_points else view.scores
    return messages.LookAnswer(ply=ply, board=board, tray=tray, facts=_list_facts(table, view), scores=scores)


def build_premoves(table: Table, seat: int) -> messages.PremovesState:
    """Return a seat's remaining premoves: the moves of each line and their seats; no lines if no one is to move."""
    remaining = [] if table.seat is None else list_remaining_lines(table, seat)
    lines, movers = [line.moves for line in remaining], [line.movers for line in remaining]
    return messages.PremovesState(seat=seat, lines=lines, movers=movers)


def build_preview(table: Table, request: Preview, preview: LinePreview) -> messages.PreviewAnswer:
    """Return the answer: the board, if known, and moves (None if too many), or what can follow the request's tokens."""
    moves, tokens = preview.moves, request.tokens
    if tokens is not None:
        following, is_move = _follow_tokens(moves, tokens)
        return messages.PreviewAnswer(seat=request.seat, line=request.line, tokens=tokens, next=following, move=is_move)
    label = table.match.game.spec.explain.label
    drawn: dict[str, Any] = {}
    if preview.view is not None:
        drawn["board"], drawn["tray"] = draw_parts(preview.view.scene())
    return messages.PreviewAnswer(
        seat=request.seat,
        line=request.line,
        tokens=None,
        mover=preview.mover,
        moves=moves if len(moves) <= MAX_MOVES else None,
        labels={token: label(token) for move in moves for token in move.split(" ")},
        **drawn,
    )


def _follow_tokens(moves: Sequence[str], tokens: list[str]) -> tuple[list[str], bool]:
    """Return the tokens, sorted, that can follow the first ones of a move, and whether these are a whole move."""
    start = "".join(f"{token} " for token in tokens)
    following = {move[len(start) :].partition(" ")[0] for move in moves if move.startswith(start)}
    return sorted(following), " ".join(tokens) in moves


def build_chat(table: Table, player: str, lines: Sequence[ChatLine]) -> messages.Chat:
    """Return chat lines for a player's browser; authors have a name, their last seat and a mute key, but no id."""
    seats = {chair.player: chair.seat for chair in table.chairs if chair.player is not None}
    return messages.Chat(
        lines=[
            messages.ChatLineState(
                number=line.number,
                name=line.name,
                seat=seats.get(line.player),
                text=line.text,
                mine=line.player == player,
                who=derive_mute_key(line.player),
                at=line.at,
            )
            for line in lines
        ]
    )
