// Made by scripts/build_types.py from the structs in `web/protocol` and `web/domain/commands.py`: do not edit.

/** The names of the commands in messages. */
type Verb =
  | "add-computer"
  | "answer-draw"
  | "answer-takeback"
  | "decline-rematch"
  | "leave-seat"
  | "move"
  | "offer-draw"
  | "rematch"
  | "rename"
  | "request-takeback"
  | "resign"
  | "reveal"
  | "sit"
  | "undo";

/** The whole table: the answer to `hello`, also sent after a stale command. */
interface StateMessage {
  type: "state";
  /** The number of events so far. */
  version: number;
  /** The seat whose view this is; null for a spectator's. */
  viewer: number | null;
  /** The seat to move; null before the start and at the end. */
  seat: number | null;
  /** Whether the seat to move is yours. */
  mine: boolean;
  /** Your seats. */
  seats: number[];
  /** Whether the game has started. */
  started: boolean;
  over: boolean;
  outcome: Outcome | null;
  /** The result in one line, or `running`. */
  result: string;
  /** The points by seat; none as long as the table hides points. */
  scores: number[];
  /** The seats that resigned or ran out of time. */
  out: number[];
  names: string[];
  /** For each seat: person, computer:LEVEL or computer:SECONDSs. */
  kinds: string[];
  chairs: Chair[];
  clock: ClockReading | null;
  /** The seat that offers a draw. */
  draw: number | null;
  takeback_request: TakebackRequest | null;
  /** The commands that you may send now. */
  may: Verb[];
  rematch_request: RematchRequest | null;
  /** The table of the rematch. */
  rematch: string | null;
  /** A hash of the server's nonce, or of the deck and a nonce. */
  commitment: string | null;
  /** The nonce of the commitment, once the game is over. */
  nonce: string | null;
  /** For each seat, once a rated game is over: the rating before and after it. */
  moved: ([number, number] | null)[] | null;
  /** Why a rated game that is over does not count for ratings. */
  unrated: string | null;
  /** The facts shown beside the board: for each, its seat or null, name, value. */
  facts: [number | null, string, string][];
  /** The moves of the seat to move, if it is yours and its hand is shown. Where finding the legal moves is part of the game, all moves that can be written. On the socket, null if there are too many. */
  moves: string[] | null;
  /** The number of plies played. */
  ply: number;
  /** The names as sentences use them: a computer with its level, equal names with colours. */
  sentence_names: string[];
  /** Names for the tokens of moves that no picture shows. */
  labels: {
    [k: string]: string;
  };
  /** Small pictures of tokens. */
  pictures: {
    /** A picture as SVG. */
    [k: string]: string;
  };
  /** Effects that the tokens of a move do not show, by move, such as `discards two tiles`. */
  effects: {
    [k: string]: string;
  };
  /** Whether hands are covered until the next person takes over. */
  curtain: boolean;
  /** Whether exact values are available. */
  revealed: boolean;
  /** Whether players now count points that were hidden, on the final board. */
  count: boolean;
  /** Everything that counts on the final board, while players count points; may be empty. */
  areas: Area[];
  overlay: string | null;
  /** A picture as SVG. */
  board: string;
  /** The tiles beside the board as SVG. */
  tray: string | null;
  /** All plies, each as seat and move; of a hidden move, only its public part. */
  plies: [number, string][];
  /** The same plies in words, each a clause without subject such as `swapped`. */
  words: string[];
  /** The same plies as small SVG pictures, which may be empty; none if the game draws no moves. */
  miniatures: string[];
  /** The points that each of them gained its seat; none where the last move wins or points are counted. */
  gains: number[];
  /** For newcomers, what the new plies show (of a whole table, the last one), and a first hand. */
  explanations: Explanation[];
  game: GameInfo;
  /** The settings of the table. */
  settings: {
    [k: string]: unknown;
  };
  /** Whether you created the table. */
  host: boolean;
  /** The shuffle; null if nothing is shuffled fairly here. */
  shuffle: Shuffle | null;
  /** Whether this is a game record, not a game in progress. */
  study: boolean;
  confirm: boolean;
  clock_label: string;
  /** The quick phrases for `say`, by number. */
  phrases: string[];
}
/** How a game ended. */
interface Outcome {
  /** Who won, for you, and the points: `You win 5 : 3`. */
  verdict: string;
  winners: number[];
  reason: string;
  /** How it ended: `complete`, `no-moves` and `forfeit` on the board, or by `resignation`, `timeout` or `agreement`. */
  termination: string;
}
/** A chair: whether it is taken, whether it is yours, and whether it is reserved for a player. */
interface Chair {
  taken: boolean;
  mine: boolean;
  kept: boolean;
}
/**
 * The clocks of a table: the seconds left by seat at server time `since`; that of seat `running` is still running,
 *     or starts at `since` if that lies ahead.
 *
 *     `increment` is added after each turn, in seconds; `days` is the time for each turn of a correspondence game.
 */
interface ClockReading {
  kind: string;
  left: number[];
  running: number | null;
  since: number;
  increment: number;
  days: number;
}
/** A takeback request: seat `by` asks to go back to the position after `ply` plies; `missing` must still agree. */
interface TakebackRequest {
  by: number;
  ply: number;
  missing: number[];
}
/**
 * A rematch that seat `by` asks for and to which the players of `missing` must still agree; if one has declined,
 *     `by` is null and `declined` that seat.
 */
interface RematchRequest {
  by: number | null;
  missing: number[];
  declined: number | null;
}
/** What counts on a final board: its place there (x, y, width, height), and for which party it counts. */
interface Area {
  /** Unique, such as `box c4`. */
  name: string;
  /**
   * @minItems 4
   * @maxItems 4
   */
  box: [number, number, number, number];
  points: number;
  /** The first seat of the party. */
  seat: number;
}
/** A sentence about something that a move shows; its id, unique in the game, tells whether it was read before. */
interface Explanation {
  id: string;
  sentence: string;
}
/** The game that is played at a table. */
interface GameInfo {
  id: string;
  title: string;
  seats: number;
  seat_names: string[];
  /** The options that differ from the defaults. */
  options: {
    [k: string]: unknown;
  };
  /** Whether some information is hidden from some seats. */
  hidden: boolean;
  /** The teams: seats that win together. */
  teams: number[][];
  /** The number of levels at which the computer plays, from 1. */
  levels: number;
  /** Whether the most points win, or the last move. */
  scoring: "last-move" | "points";
  /** The most points that all seats together can make; null if that is not known. */
  points: number | null;
  /** The prompts for choosing tokens such as `leave:B1x`, by their first word. */
  prompts: {
    [k: string]: string;
  };
  /** The colours to choose from; null if there are none. */
  colours: ColourInfo | null;
}
/** The colours of a game in which players choose one: the letters of those in play by seat, and all names. */
interface ColourInfo {
  /** A letter for each seat, then those of colours that no seat has. */
  value: string;
  /** The names of all colours by letter. */
  names: {
    [k: string]: string;
  };
}
/** What the seats give for a fair shuffle. The commitment is the hash of the server's part, its nonce. */
interface Shuffle {
  /** For each seat, the hash of its value; null if the seat takes no part. */
  hashes: (string | null)[];
  /** For each seat, its value once the game has started; null if it gave none. */
  values: (string | null)[];
  /** Whether every seat is taken and the game starts with the last value. */
  waiting: boolean;
}
/**
 * What an event changed: parts of the picture, the last plies, and the fields of a `state` that have new values.
 *     What a patch leaves out has not changed.
 */
interface PatchMessage {
  type: "patch";
  /** The number of events so far. */
  version: number;
  /** The seat whose view this is; null for a spectator's. */
  viewer?: number | null;
  /** The seat to move; null before the start and at the end. */
  seat?: number | null;
  /** Whether the seat to move is yours. */
  mine?: boolean;
  /** Your seats. */
  seats?: number[];
  /** Whether the game has started. */
  started?: boolean;
  over?: boolean;
  outcome?: Outcome | null;
  /** The result in one line, or `running`. */
  result?: string;
  /** The points by seat; none as long as the table hides points. */
  scores?: number[];
  /** The seats that resigned or ran out of time. */
  out?: number[];
  names?: string[];
  /** For each seat: person, computer:LEVEL or computer:SECONDSs. */
  kinds?: string[];
  chairs?: Chair[];
  clock?: ClockReading | null;
  /** The seat that offers a draw. */
  draw?: number | null;
  takeback_request?: TakebackRequest | null;
  /** The commands that you may send now. */
  may?: Verb[];
  rematch_request?: RematchRequest | null;
  /** The table of the rematch. */
  rematch?: string | null;
  /** A hash of the server's nonce, or of the deck and a nonce. */
  commitment?: string | null;
  /** The nonce of the commitment, once the game is over. */
  nonce?: string | null;
  /** For each seat, once a rated game is over: the rating before and after it. */
  moved?: ([number, number] | null)[] | null;
  /** Why a rated game that is over does not count for ratings. */
  unrated?: string | null;
  /** The facts shown beside the board: for each, its seat or null, name, value. */
  facts?: [number | null, string, string][];
  /** The moves of the seat to move, if it is yours and its hand is shown. Where finding the legal moves is part of the game, all moves that can be written. On the socket, null if there are too many. */
  moves?: string[] | null;
  /** The number of plies played. */
  ply?: number;
  /** The names as sentences use them: a computer with its level, equal names with colours. */
  sentence_names?: string[];
  /** Names for the tokens of moves that no picture shows. */
  labels?: {
    [k: string]: string;
  };
  /** Small pictures of tokens. */
  pictures?: {
    /** A picture as SVG. */
    [k: string]: string;
  };
  /** Effects that the tokens of a move do not show, by move, such as `discards two tiles`. */
  effects?: {
    [k: string]: string;
  };
  /** Whether hands are covered until the next person takes over. */
  curtain?: boolean;
  /** Whether exact values are available. */
  revealed?: boolean;
  /** Whether players now count points that were hidden, on the final board. */
  count?: boolean;
  /** Everything that counts on the final board, while players count points; may be empty. */
  areas?: Area[];
  overlay?: string | null;
  /** The version to which this patch applies. */
  from: number;
  patch: ScenePatch;
  /** Keep this many plies and append `plies`. */
  plies_from: number;
  plies: [number, string][];
  /** The same plies in words, each a clause without subject such as `swapped`. */
  words: string[];
  /** The same plies as small SVG pictures, which may be empty; none if the game draws no moves. */
  miniatures: string[];
  /** The points that each of them gained its seat; none where the last move wins or points are counted. */
  gains: number[];
  /** For newcomers, what the new plies show (of a whole table, the last one), and a first hand. */
  explanations: Explanation[];
}
/** The changes from one scene to another, as in `diff_scenes`. */
interface ScenePatch {
  board?: PartPatch;
  tray?: PartPatch | null;
}
/** The changes of the board or the tray. */
interface PartPatch {
  add?: [string, string][];
  box?: string;
  label?: string;
  remove?: string[];
  set?: {
    [k: string]: ElementChange;
  };
}
/** The new values of an element. */
interface ElementChange {
  class?: string;
  gesture?: string;
  label?: string;
  markup?: string;
  token?: string;
}
/** The connection is alive. Send it back at once; reconnect if the next one is 6 seconds late. */
interface BeatMessage {
  type: "beat";
  /** The server time in seconds. */
  now: number;
  /** The next beat comes within this many seconds. */
  interval: number;
}
/** A command was executed and stored; a command with the same id is never executed twice. */
interface DoneMessage {
  type: "done";
  /** The id of the command or query. */
  id: string;
  version: number;
}
/** A command is not allowed. */
interface RefusedMessage {
  type: "refused";
  /** The id of the command or query. */
  id: string;
  /** A stable code for programs, the same as in the library's errors. */
  code: string;
  /** A human-readable explanation. */
  sentence: string;
}
/** A command was made for an older board, or could not be stored. It was not executed; a `state` follows. */
interface StaleMessage {
  type: "stale";
  /** The id of the command or query. */
  id: string;
  /** Set if the command could not be stored. */
  sentence?: string;
}
/** A message was unreadable, refused or failed; a computer found or stored no move; or premoves were cancelled. */
interface ErrorMessage {
  type: "error";
  /** A human-readable explanation. */
  sentence: string;
  /** The type of the message in question. */
  of?: string;
  /** The id of the command or query in question. */
  id?: string;
}
/** Someone connected or left: whether each seat's player is connected, and the number of spectators. */
interface PresenceMessage {
  type: "presence";
  chairs: boolean[];
  watching: number;
}
/** The remaining premoves of one of your seats. */
interface PremovesMessage {
  type: "premoves";
  seat: number;
  lines: (string | null)[][];
  /** The seat that plays each move of the lines. */
  movers: (number | null)[][];
}
/** The answer to `preview`: the board after a line of moves and what can follow, or what can follow some tokens. */
interface PreviewAnswer {
  type: "preview";
  line: (string | null)[];
  tokens: string[] | null;
  seat?: number;
  /** Why this premove is not possible. */
  sentence?: string;
  /** A picture as SVG. */
  board?: string;
  tray?: string | null;
  mover?: number | null;
  moves?: string[] | null;
  labels?: {
    [k: string]: string;
  };
  /** What can follow the tokens. */
  next?: string[];
  /** Whether the tokens are a move. */
  move?: boolean;
}
/** New chat messages; the first time, the latest hundred messages. */
interface ChatMessage {
  type: "chat";
  lines: ChatLine[];
}
/** A chat message; `seat` is null if its author no longer sits there. */
interface ChatLine {
  number: number;
  name: string;
  seat: number | null;
  text: string;
  mine: boolean;
  /** The same for all messages of one player; identifies whom to mute. */
  who: string;
  at: number;
}
/** Whether a report was accepted; the number of reports is limited. */
interface ReportAnswer {
  type: "report";
  taken: boolean;
}
/** The server is compiling this game. People can play already; it answers what needs more when that is compiled. */
interface PreparingMessage {
  type: "preparing";
  /** By feature, such as `hint` or `solve`: the share that is compiled; at 1, it can be used. */
  features: {
    [k: string]: number;
  };
}
/** This game is compiled. */
interface ReadyMessage {
  type: "ready";
}
/** The server is stopping; reconnect soon. */
interface GoodbyeMessage {
  type: "goodbye";
  /** A human-readable explanation. */
  sentence: string;
}
/**
 * A computer is thinking: its simulations so far, and the share of its time or simulations used so far.
 *
 *     While `preparing`, its level is still being compiled, and `share` says how much of it is.
 */
interface ComputerProgressMessage {
  type: "computer-progress";
  seat: number;
  simulations: number;
  share: number;
  preparing?: boolean;
}
/** An earlier position: the answer to `look`. */
interface LookAnswer {
  type: "look";
  ply: number;
  /** A picture as SVG. */
  board: string;
  tray: string | null;
  facts: [number | null, string, string][];
  scores: number[];
}
/** What can follow the tokens, and whether they are a move. */
interface CompleteAnswer {
  type: "complete";
  tokens: string[];
  next: string[];
  move: boolean;
  labels: {
    [k: string]: string;
  };
}
/** Why a move is illegal; null if it is legal. */
interface WhyAnswer {
  type: "why";
  text: string;
  code: string | null;
  sentence: string | null;
}
/** The exact value of a position: the last answer to `solve`. */
interface SolveAnswer {
  type: "solve";
  /** The id of the command or query. */
  id: string;
  state: "bounds" | "cancelled" | "found" | "refused" | "solved";
  sentence?: string;
  detail?: string;
  ply: number;
  seat?: number;
  /** The mover’s final margin; negative if it loses. */
  worth?: number;
  /** What the numbers mean: the final margin, the margin of what is left to play, or won and lost. */
  counts?: "margin" | "rest" | "win";
  /** Every move with its value. */
  moves?: [string, number][];
}
/** The bounds so far while a position is solved. */
interface SolveProgressMessage {
  type: "solve-progress";
  ply: number;
  lower: number;
  upper: number;
  nodes: number;
}
/** A good move and the reason for it: the answer to `hint`. */
interface HintAnswer {
  type: "hint";
  /** The id of the command or query. */
  id: string;
  state: "bounds" | "cancelled" | "found" | "refused" | "solved";
  sentence?: string;
  detail?: string;
  move?: string;
  reason?: string;
}
/** The expected result of a position: the answer to `evaluate`. */
interface EvaluateAnswer {
  type: "evaluate";
  /** The id of the command or query. */
  id: string;
  state: "bounds" | "cancelled" | "found" | "refused" | "solved";
  sentence?: string;
  detail?: string;
  ply: number;
  /** The winning chance of the first of `sides`. */
  share?: number;
  /** The lower bound of `share`. */
  low?: number;
  /** The upper bound of `share`. */
  high?: number;
  sides?: number[][];
  solved?: boolean;
}
/**
 * Send this first, and again whenever the client has missed something. The answer is a `state`. As long as the
 *     player cannot see the table, `visible` is false.
 */
interface HelloRequest {
  type: "hello";
  version?: number | null;
  viewer?: number | null;
  visible?: boolean;
}
/** Play a move for the seat to move. */
interface MoveCommand {
  type: "move";
  /** An id that you choose, a new one for each command: a command that is sent again is executed only once, and another one with the same id is refused. */
  id: string;
  /** The version of the table that this was made for. */
  version: number;
  move: string;
}
/** Resign one of your seats. */
interface ResignCommand {
  type: "resign";
  /** An id that you choose, a new one for each command: a command that is sent again is executed only once, and another one with the same id is refused. */
  id: string;
  /** The version of the table that this was made for. */
  version: number;
  seat?: number | null;
}
/** Go back to before the last move by a person, if no one else has to agree. */
interface UndoCommand {
  type: "undo";
  /** An id that you choose, a new one for each command: a command that is sent again is executed only once, and another one with the same id is refused. */
  id: string;
  /** The version of the table that this was made for. */
  version: number;
}
/** Offer a draw. */
interface OfferDrawCommand {
  type: "offer-draw";
  /** An id that you choose, a new one for each command: a command that is sent again is executed only once, and another one with the same id is refused. */
  id: string;
  /** The version of the table that this was made for. */
  version: number;
  seat?: number | null;
}
/** Accept or decline a draw offer. */
interface AnswerDrawCommand {
  type: "answer-draw";
  /** An id that you choose, a new one for each command: a command that is sent again is executed only once, and another one with the same id is refused. */
  id: string;
  /** The version of the table that this was made for. */
  version: number;
  seat?: number | null;
  accept?: boolean;
}
/** Request a takeback: ask the other players to go back to before your own last move. */
interface RequestTakebackCommand {
  type: "request-takeback";
  /** An id that you choose, a new one for each command: a command that is sent again is executed only once, and another one with the same id is refused. */
  id: string;
  /** The version of the table that this was made for. */
  version: number;
  seat?: number | null;
}
/** Accept or decline a takeback request. */
interface AnswerTakebackCommand {
  type: "answer-takeback";
  /** An id that you choose, a new one for each command: a command that is sent again is executed only once, and another one with the same id is refused. */
  id: string;
  /** The version of the table that this was made for. */
  version: number;
  seat?: number | null;
  accept?: boolean;
}
/** Take an open seat, or any open seat if `seat` is null. */
interface SitCommand {
  type: "sit";
  /** An id that you choose, a new one for each command: a command that is sent again is executed only once, and another one with the same id is refused. */
  id: string;
  /** The version of the table that this was made for. */
  version: number;
  seat?: number | null;
  /** Your name at the table, truncated to 60 characters. */
  name?: string;
  /** The letter of a free colour, in games in which players choose one; empty for that of the seat. */
  colour?: string;
  /** The SHA-256 hash of your value for the shuffle, 64 random digits 0 to 9 and a to f, which you reveal once every seat is taken; empty to take no part. */
  hash?: string;
}
/** Leave your seat before the game starts. */
interface LeaveSeatCommand {
  type: "leave-seat";
  /** An id that you choose, a new one for each command: a command that is sent again is executed only once, and another one with the same id is refused. */
  id: string;
  /** The version of the table that this was made for. */
  version: number;
  seat?: number | null;
}
/** Give an open seat to a computer: computer:LEVEL or computer:SECONDSs. */
interface AddComputerCommand {
  type: "add-computer";
  /** An id that you choose, a new one for each command: a command that is sent again is executed only once, and another one with the same id is refused. */
  id: string;
  /** The version of the table that this was made for. */
  version: number;
  seat?: number | null;
  kind?: string;
}
/**
 * Ask for a rematch, the same game with the seats rotated, or agree to one. It begins once all other players have
 *     agreed. A player who is alone gets it at once, with the computers at another level if one is given.
 */
interface RematchCommand {
  type: "rematch";
  /** An id that you choose, a new one for each command: a command that is sent again is executed only once, and another one with the same id is refused. */
  id: string;
  /** The version of the table that this was made for. */
  version: number;
  level?: number | null;
  /** The SHA-256 hash of your value for the shuffle, 64 random digits 0 to 9 and a to f, which you reveal once every seat is taken; empty to take no part. */
  hash?: string;
}
/** Decline the rematch that another player asks for, or no longer ask for one. */
interface DeclineRematchCommand {
  type: "decline-rematch";
  /** An id that you choose, a new one for each command: a command that is sent again is executed only once, and another one with the same id is refused. */
  id: string;
  /** The version of the table that this was made for. */
  version: number;
}
/** Change your name at your seat before the game starts. */
interface RenameCommand {
  type: "rename";
  /** An id that you choose, a new one for each command: a command that is sent again is executed only once, and another one with the same id is refused. */
  id: string;
  /** The version of the table that this was made for. */
  version: number;
  seat?: number | null;
  /** Your name at the table, truncated to 60 characters. */
  name?: string;
}
/** Reveal your value for the shuffle, whose hash you gave before. The game starts without values that come late. */
interface RevealCommand {
  type: "reveal";
  /** An id that you choose, a new one for each command: a command that is sent again is executed only once, and another one with the same id is refused. */
  id: string;
  /** The version of the table that this was made for. */
  version: number;
  /** 64 digits 0 to 9 and a to f. */
  value: string;
}
/**
 * Set the premoves of a seat: lines of moves by the others and by itself; null stands for any move of theirs. Lines
 *     with the same beginning are a tree, of at most 64 moves.
 */
interface PremovesRequest {
  type: "premoves";
  /** A seat, counted from 0. */
  seat: number;
  /** The version of the table that this was made for. */
  version: number;
  /** A position, by the number of plies played before it. */
  ply: number;
  lines: (string | null)[][];
}
/** Ask for the board after a line of moves and for what can follow, or only for what can follow some tokens. */
interface PreviewRequest {
  type: "preview";
  /** A seat, counted from 0. */
  seat: number;
  line: (string | null)[];
  tokens?: string[] | null;
}
/** Chat: a quick phrase by its number, or free text where the table allows it. */
interface SayRequest {
  type: "say";
  phrase?: number | null;
  text?: string;
}
/** Report a chat message, or the table as a whole, to the operator. */
interface ReportRequest {
  type: "report";
  number?: number | null;
  text?: string;
}
/** The answer to a `beat` from the server, with the same `now`. */
interface BeatAnswerRequest {
  type: "beat";
  now: number;
}
/** Ask for a `beat` at once, to learn whether the connection is alive. */
interface ProbeRequest {
  type: "probe";
}
/** Ask for an earlier position. */
interface LookRequest {
  type: "look";
  /** A position, by the number of plies played before it. */
  ply: number;
}
/** Ask what can follow the first tokens of a move. */
interface CompleteRequest {
  type: "complete";
  tokens: string[];
}
/** Ask why a move or the beginning of one is illegal. */
interface WhyRequest {
  type: "why";
  text: string;
}
/** Ask to see the table as another seat sees it. */
interface ChangeViewerRequest {
  type: "change-viewer";
  viewer?: number | null;
}
/** Say whether the player can see the table: if not, the player's devices may be notified of what happens. */
interface ChangeVisibilityRequest {
  type: "change-visibility";
  visible: boolean;
}
/** Ask for the exact value of a position of a finished game or a record. */
interface SolveRequest {
  type: "solve";
  /** An id that you choose, a new one for each command: a command that is sent again is executed only once, and another one with the same id is refused. */
  id: string;
  /** A position, by the number of plies played before it. */
  ply: number;
}
/** Ask for a good move and the reason for it. */
interface HintRequest {
  type: "hint";
  /** An id that you choose, a new one for each command: a command that is sent again is executed only once, and another one with the same id is refused. */
  id: string;
  /** The version of the table that this was made for. */
  version: number;
}
/** Ask for the expected result of a position. */
interface EvaluateRequest {
  type: "evaluate";
  /** An id that you choose, a new one for each command: a command that is sent again is executed only once, and another one with the same id is refused. */
  id: string;
  /** The version of the table that this was made for. */
  version: number;
  /** A position, by the number of plies played before it. */
  ply: number;
}
/** Cancel the last `solve`. */
interface CancelSolveRequest {
  type: "cancel-solve";
}
/** What the moves of a game lead to. */
interface EntryAnswer {
  /** How many moves are right. */
  played: number;
  wrong: WrongEntry | null;
  /** All moves, with those of a typed line one by one. */
  moves: string[];
  /** The last right move in words; empty if there is none. */
  words: string;
  over: boolean;
  /** Who has won, with the names of the players. */
  result: string;
  /** The record of the right moves. */
  record: string;
  picture: BoardPicture;
}
/** The first move that cannot be played. */
interface WrongEntry {
  /** Its number, counted from 1. */
  number: number;
  /** Its text; its item of the moves may go on with more words of the line. */
  move: string;
  /** Why, as a sentence. */
  reason: string;
  /** Its number and the reason. */
  sentence: string;
}
/** A position as one seat sees it, and the moves that can be made. */
interface BoardPicture {
  /** A picture as SVG. */
  board: string;
  /** The tiles beside the board as SVG. */
  tray: string | null;
  /** What the viewer may know of the position, in one line. */
  text: string;
  /** The seat whose view this is; null for a spectator's. */
  viewer: number | null;
  /** The seat to move; null if the game is over. */
  seat: number | null;
  /** The names of the seats' colours here, by seat: seats may exchange them during a game. */
  seat_names: string[];
  scores: number[];
  facts: [number | null, string, string][];
  /** The moves that can be made; null if there are too many. */
  moves: string[] | null;
  /** Names for the tokens of moves that no picture shows. */
  labels: {
    [k: string]: string;
  };
  /** Small pictures of tokens. */
  pictures: {
    /** A picture as SVG. */
    [k: string]: string;
  };
  /** Effects that the tokens of a move do not show, by move, such as `discards two tiles`. */
  effects: {
    [k: string]: string;
  };
}
/** What has come of a move in an exercise, or the position before it. */
interface ExerciseAnswer {
  /** `open` while the task goes on, or if there is none; `done` once it is solved; `wrong` after a legal move that does not solve it; `refused` after an illegal one. */
  state: "done" | "open" | "refused" | "wrong";
  /** Whether the judgement is proven; otherwise it is an estimate. */
  proven: boolean;
  /** The feedback as HTML; may be empty. */
  feedback: string;
  /** What was played after the move, in sentences. */
  events: string[];
  /** Patches that lead to the picture one ply at a time; the first one begins before the last move. */
  patches: ScenePatch[];
  picture: BoardPicture;
  /** Best moves, once the exercise is solved or given up. */
  best: string[];
  /** The line behind the judgement, from the exercise's position on. */
  line: string[];
}
/** What has come of the moves in a step of a lesson. */
interface LessonAnswer {
  /** `open` while the task goes on, or if there is none; `done` once it is solved; `wrong` after a legal move that does not solve it; `refused` after an illegal one. */
  state: "done" | "open" | "refused" | "wrong";
  /** The feedback as HTML; may be empty. */
  feedback: string;
  /** The other players’ moves since then, as sentences. */
  events: string[];
  /** Patches that lead to the picture one ply at a time; the first one begins before the last move. */
  patches: ScenePatch[];
  picture: BoardPicture;
  /** A move that helps to solve the task; null if there is none. */
  next: string | null;
}
/** What has come of the moves in a puzzle, between which the server plays the best defence. */
interface PuzzleJudgement {
  /** `open` while the task goes on, or if there is none; `done` once it is solved; `wrong` after a legal move that does not solve it; `refused` after an illegal one. */
  state: "done" | "open" | "refused" | "wrong";
  /** Whether the judgement is proven; otherwise it is an estimate. */
  proven: boolean;
  /** The feedback as HTML; may be empty. */
  feedback: string;
  /** What was played after the move, in sentences. */
  events: string[];
  /** Patches that lead to the picture one ply at a time; the first one begins before the last move. */
  patches: ScenePatch[];
  picture: BoardPicture;
  /** Best moves, once the exercise is solved or given up. */
  best: string[];
  /** The line behind the judgement, from the exercise's position on. */
  line: string[];
  /** The number of moves found. */
  found: number;
  /** The maximum number still to be found. */
  to_find: number;
  /** A hint about the next one; may be empty. */
  hint: string;
  /** The points and other facts that the picture does not show. */
  facts: string;
  /** Best play from the puzzle's position on, once it is solved or given up; otherwise empty. */
  play: LineMove[];
}
/** A move of best play. */
interface LineMove {
  move: string;
  /** Its name in sentences: the notation, or words. */
  name: string;
  patch: ScenePatch;
  /** The points and other facts after it. */
  facts: string;
}
/** What has come of the moves in a puzzle. A first attempt changes the ratings of player and puzzle. */
interface PuzzleAnswer {
  /** `open` while the task goes on, or if there is none; `done` once it is solved; `wrong` after a legal move that does not solve it; `refused` after an illegal one. */
  state: "done" | "open" | "refused" | "wrong";
  /** Whether the judgement is proven; otherwise it is an estimate. */
  proven: boolean;
  /** The feedback as HTML; may be empty. */
  feedback: string;
  /** What was played after the move, in sentences. */
  events: string[];
  /** Patches that lead to the picture one ply at a time; the first one begins before the last move. */
  patches: ScenePatch[];
  picture: BoardPicture;
  /** Best moves, once the exercise is solved or given up. */
  best: string[];
  /** The line behind the judgement, from the exercise's position on. */
  line: string[];
  /** The number of moves found. */
  found: number;
  /** The maximum number still to be found. */
  to_find: number;
  /** A hint about the next one; may be empty. */
  hint: string;
  /** The points and other facts that the picture does not show. */
  facts: string;
  /** Best play from the puzzle's position on, once it is solved or given up; otherwise empty. */
  play: LineMove[];
  /** Your new rating; null unless this attempt counts. */
  rating: number | null;
  /** Its change; null unless this attempt counts. */
  change: number | null;
  /** For how many days in a row you have found the puzzle of the day on the home page; null unless this is that puzzle and it is solved. */
  streak: number | null;
}

type ServerMessage =
  | StateMessage
  | PatchMessage
  | BeatMessage
  | DoneMessage
  | RefusedMessage
  | StaleMessage
  | ErrorMessage
  | PresenceMessage
  | PremovesMessage
  | PreviewAnswer
  | ChatMessage
  | ReportAnswer
  | PreparingMessage
  | ReadyMessage
  | GoodbyeMessage
  | ComputerProgressMessage
  | LookAnswer
  | CompleteAnswer
  | WhyAnswer
  | SolveAnswer
  | SolveProgressMessage
  | HintAnswer
  | EvaluateAnswer;
type ClientMessage =
  | HelloRequest
  | MoveCommand
  | ResignCommand
  | UndoCommand
  | OfferDrawCommand
  | AnswerDrawCommand
  | RequestTakebackCommand
  | AnswerTakebackCommand
  | SitCommand
  | LeaveSeatCommand
  | AddComputerCommand
  | RematchCommand
  | DeclineRematchCommand
  | RenameCommand
  | RevealCommand
  | PremovesRequest
  | PreviewRequest
  | SayRequest
  | ReportRequest
  | BeatAnswerRequest
  | ProbeRequest
  | LookRequest
  | CompleteRequest
  | WhyRequest
  | ChangeViewerRequest
  | ChangeVisibilityRequest
  | SolveRequest
  | HintRequest
  | EvaluateRequest
  | CancelSolveRequest;
type Command =
  | MoveCommand
  | ResignCommand
  | UndoCommand
  | OfferDrawCommand
  | AnswerDrawCommand
  | RequestTakebackCommand
  | AnswerTakebackCommand
  | SitCommand
  | LeaveSeatCommand
  | AddComputerCommand
  | RematchCommand
  | DeclineRematchCommand
  | RenameCommand
  | RevealCommand;
