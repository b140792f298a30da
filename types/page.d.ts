// Types of the page's scripts, for their JSDoc comments: the classes that are passed around, and what they exchange.

/** A seat, counted from 0. */
type Seat = number;

/** A move or a part of one as the player writes it; a move is its tokens joined by spaces. */
type Token = string;

/** A line of premoves; null stands for any move of an opponent. */
type PremoveLine = (string | null)[];

/** A seat and its move. */
type Ply = [Seat, string];

/** A fact shown beside the board: its seat (null: the whole table), name and value. */
type Fact = StateMessage["facts"][number];

/** How a value is to be read: a margin of points, the margin of what is left to play, or won and lost alone. */
type Counts = NonNullable<SolveAnswer["counts"]>;

type ServerMessageOf<T extends ServerMessage["type"]> = Extract<ServerMessage, { type: T }>;
type CommandAnswer = DoneMessage | RefusedMessage | StaleMessage;

/** Each type of a union without some fields. */
type OmitEach<T, Names extends string> = T extends unknown ? Omit<T, Names> : never;

/** What a command says beside its type, id and version. */
type CommandBody = OmitEach<Command, "type" | "id" | "version">;

/** What a message says beside its type and version, by type. */
type Bodies<T extends ClientMessage["type"]> = {
  [Type in T]: Omit<Extract<ClientMessage, { type: Type }>, "type" | "version">;
};

/** What each kind of question asks with. */
type Questions = Bodies<"look" | "complete" | "why" | "preview" | "solve" | "hint" | "evaluate">;

/** What is sent once and never answered by id. */
type Posts = Bodies<"say" | "report" | "premoves">;

interface Settings {
  clock?: { kind: "game" | "days" } | null;
  visibility?: "link" | "public";
  chat?: "phrases" | "free";
  rated?: boolean;
  /** Whether no one sees points until the end, so that the players count them on the board. */
  hide_points?: boolean;
  /** Whether the owner waits for anyone who looks for an opponent. */
  pairing?: boolean;
}

/** What the page knows of its table: the last state, all patches since, and who is connected. */
interface TableState extends Omit<StateMessage, "type" | "board" | "tray" | "settings"> {
  settings: Settings;
  presence: PresenceMessage | null;
  /** While hidden points are counted: what has been counted so far, by seat; null where no one counts here. */
  tallies?: (number | null)[];
}

/** The part of a position that the panels beside the board show; an earlier one replaces it while stepping back. */
interface ShownPosition {
  facts: Fact[];
  scores: number[];
}

/** A value that this browser gives for a shuffle, and what had been fixed when it was given. */
interface GivenValue {
  hash: string;
  value: string;
  commitment?: string;
  /** Those of all seats. */
  hashes?: (string | null)[];
}

/** One finding about a shuffle. */
interface ShuffleCheck {
  holds: boolean;
  sentence: string;
}

type Geometry = import("../src/fourcorners/web/static/geometry.js").Geometry;
type Highlights = import("../src/fourcorners/web/static/highlights.js").Highlights;
type Readiness = import("../src/fourcorners/web/static/readiness.js").Readiness;
type MoveInput = import("../src/fourcorners/web/static/move_input.js").MoveInput;
type MoveValues = import("../src/fourcorners/web/static/move_values.js").MoveValues;
type Picture = import("../src/fourcorners/web/static/picture.js").Picture;
type TableClient = import("../src/fourcorners/web/static/table_client.js").TableClient;
type Toast = import("../src/fourcorners/web/static/toast.js").Toast;

/** What takes part in choosing a move. */
interface BoardPage {
  /** The element around board and tray. */
  scene: HTMLElement;
  /** The element that holds the board's SVG. */
  board: HTMLElement;
  picture: Picture;
  geometry: Geometry;
  input: MoveInput;
}

/** What the parts of the board page share. */
interface Page extends BoardPage {
  client: TableClient;
}

/** For whom an area is counted, by the name of the area: the first seat of a party. */
type Marks = Record<string, Seat>;

interface CountPage extends BoardPage {
  /** The id of the table. */
  table: string;
  announce: (sentence: string) => void;
  /** Called with what has been counted so far, by seat. */
  onTally: (tallies: (number | null)[]) => void;
  /** Called with the state and its points once they are counted, or shown on request. */
  onDone: (state: TableState) => void;
}

interface KeyboardPage extends BoardPage {
  highlights: Highlights;
  /** Called with an element that gets the focus by keyboard. */
  onFocus: (node: SceneNode) => void;
  /** Called when someone asks for a hint. */
  onHint: () => void;
  /** Called when someone asks for the next game that waits. */
  onNext?: () => void;
  /** Called when someone asks for the rules. */
  onRules: () => void;
  /** Called when someone wants to type a move, on pages with a field for it. */
  onType?: () => void;
}

interface PointerPage extends BoardPage {
  highlights: Highlights;
  /** Called when the pointer rests on an element, and with null when it leaves. */
  onRest: (node: SceneNode | null) => void;
}

interface ButtonsPage extends BoardPage {
  annotate: (token: Token) => Annotation | null;
}

interface HintPage extends Page {
  /** Called when another move is suggested, or none any more. */
  onChange: () => void;
}

interface PremovePage extends Page {
  /** Lets the moves of the game be chosen again. */
  restart: () => void;
}

interface StudyPage extends Page {
  values: MoveValues;
  /** Lets these moves be tried on the board; null ends that. */
  explore: (moves: string[] | null) => void;
}

/** What the panels of the board page share. */
interface PanelPage {
  client: TableClient;
  toast: Toast;
  /** Speaks a sentence, for screen readers. */
  announce: (sentence: string) => void;
  /** Gives a command, and says if it was refused. */
  send: (verb: Verb, body?: CommandBody) => Promise<CommandAnswer>;
  /** Who uses this browser; `name` may be empty. */
  profile: { name: string; account: boolean };
}

/** Attributes of an element to be made: true becomes an empty one; false and null are left out. */
type Attributes = Record<string, string | number | boolean | null | undefined>;
/** What is appended to an element that is made; null is left out. */
type Child = Node | string | null;

/** An element of a picture that stands for a token of moves; its gesture is pick, span, carry or drop. */
interface SceneNode extends SVGGraphicsElement {
  readonly ownerSVGElement: SVGSVGElement;
  readonly dataset: DOMStringMap & { token: string; gesture: string };
}

/** In pixels of the window. */
interface Point {
  x: number;
  y: number;
}

/** The element that has the focus, and its centre. */
interface SavedFocus extends Point {
  id: string;
  node: Element;
  /** Whether it was marked, as it is for those who use the keyboard. */
  isVisible: boolean;
}

/** In pixels. */
interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** What the server says of the form that creates a game, as it is filled in. */
type FormCheck = { ok: true; seats: number; seat_names: string[] } | { ok: false; option: string; reason: string };

/** Which gestures the position offers now: `pick` and `span` on the board, `carry` in the tray; `any` on the board. */
interface Gestures {
  any: boolean;
  pick: boolean;
  span: boolean;
  carry: boolean;
}

type SoundName = "move" | "capture" | "turn" | "end";

/** What may follow a beginning of moves. */
interface Continuation {
  next: Set<Token>;
  /** Whether the beginning is a legal move itself. */
  isMove: boolean;
}

/** Asks the server what may follow some tokens; null if the connection was lost. */
type FetchContinuation = (tokens: Token[]) => Promise<{ next?: Token[] | null; move?: boolean | null } | null>;

/** What became of a move; a refusal may have a reason. */
interface MoveResult {
  type: string;
  sentence?: string | null;
}

/** Where moves come from and go to: the game, or the premoves. */
interface MoveSource {
  complete: FetchContinuation;
  play: (move: string) => Promise<MoveResult>;
}

/** A piece on its way from the tray to the board. */
interface CarriedPiece {
  token: Token;
  /** The token is only the beginning of others, so the place decides which piece it is. */
  isPrefix: boolean;
}

interface MoveInputEvents {
  /** Something else is chosen, or can be. */
  change: null;
  /** A move is sent. */
  played: null;
  /** The move was not played. */
  "lost-move": { move: string; sentence: string };
  /** An element was chosen that cannot be; `text` is the move it would begin. */
  why: { text: string; node: SceneNode };
  /** The same, while it is someone else's turn. */
  "not-mine": { text: string; node: SceneNode };
}

/** What is known of a choice: its value or that it is the hint. */
interface Annotation {
  /** The class of its element. */
  kind: string;
  text: string;
  /** For screen readers. */
  words: string;
}

/** How tokens are named and drawn on buttons. */
interface TokenLooks {
  labels: Record<Token, string>;
  /** SVG. */
  pictures: Record<Token, string>;
}

interface ButtonModel {
  id: string;
  label: string;
  token?: Token;
  annotation?: Annotation | null;
  rotation?: number | null;
  /** What the move does that the button plays, if it does more than its tokens say. */
  effect?: string;
  /** What the token looks like, as SVG; it is drawn rotated. */
  picture?: string;
  /** The key that does the same. */
  shortcut?: string;
  isPrimary?: boolean;
  move?: string;
}

/** A press of the button or finger: where it began, and the gesture that it became. */
interface Press extends Point {
  node: SceneNode | null;
  pointer: number;
  drag: string;
  /** Whether it drags a corner that no rectangle has. */
  isRefused: boolean;
}

/** The lines of premoves that the server keeps; no seat before it has sent any. */
type SavedPremoves = Omit<PremovesMessage, "type" | "seat"> & { seat: Seat | null };

/** A line of premoves that is being made. */
interface Draft {
  line: PremoveLine;
  /** Who plays each move of the line. */
  movers: (Seat | null)[];
  /** Who is to move after the line. */
  mover: Seat | null;
}

/** A draw offer or takeback request, with the buttons to answer it. */
interface OpenRequest {
  text: string;
  /** Whether someone at this browser made it. */
  isOwn: boolean;
  /** The command that answers it, if this browser may. */
  verb?: "answer-draw" | "answer-takeback";
}

/** What the banner says of a lost connection. */
interface Loss {
  /** The server's, or empty. */
  reason: string;
  /** Whether the table had been shown before. */
  wasShown: boolean;
  /** The moves without an answer. */
  moves: string[];
}

interface SocketEvents {
  /** An attempt to connect begins. */
  trying: null;
  /** The attempt succeeded. */
  open: null;
  message: ServerMessage;
  /**
   * The connection is lost, or the attempt failed, and the next attempt follows after `wait` milliseconds; `sentence`
   * is the server's reason, or empty.
   */
  lost: { wait: number; sentence: string };
  /** The server has no such table, and no attempt follows. */
  ended: { sentence: string };
}

/** The messages of the server that answer nothing, and whether there is a connection: `found` comes with the table. */
type ClientEvents = { [Type in ServerMessage["type"]]: ServerMessageOf<Type> } & { found: null; lost: null };

/** A command without an answer. */
interface SentCommand {
  message: Command;
  resolve: (answer: CommandAnswer) => void;
}

type Part = "board" | "tray";
type Step = "first" | "back" | "forward" | "now";

/** What a page with a board for lessons gives it. */
interface LessonBoardHost {
  /** The element whose style and data describe the space for the board. */
  place: HTMLElement;
  play: (move: string) => Promise<MoveResult>;
  /** Says why something cannot be chosen: a move, or its beginning. */
  explain: (text: string) => void;
  onHint: () => void;
  /** Asks what can follow the beginning of a move, where there are too many moves to send. */
  complete?: FetchContinuation;
  /** Called when something else has been chosen, or can be. */
  onRefresh?: () => void;
  /** Called when someone presses the question mark. */
  onRules?: () => void;
  /** Called when someone presses M. */
  onType?: () => void;
}

/** A move of an analysis, or its start, as the server has it. */
interface FlatNode {
  depth: number;
  move: string;
  seat: Seat;
  comment: string;
  marks: string[];
  evaluation: string;
}

/** An analysis as the server opens it. */
interface OpenedAnalysis {
  game: string;
  options: Record<string, unknown>;
  /** The position at its start; empty for the start of the game. */
  position: string;
  /** The record of the game that it is about. */
  record: string;
  /** How many moves of the main line are those of the game. */
  played: number;
  nodes: FlatNode[];
  /** The number of the node at which it opens. */
  shown: number;
  values: ShownValues | null;
}

/** What the moves of a position are worth. */
interface ShownValues {
  sentence: string;
  detail: string;
  counts: Counts;
  moves: [string, number][];
}

/** What a seat holds, in a game in which the others do not see it. */
interface Hand {
  seat: Seat;
  tokens: Token[];
  /** SVG. */
  pictures: Record<Token, string>;
}

/** A position on the analysis board: the answer of the API. */
interface BoardAnswer {
  picture: BoardPicture;
  /** The position in one line. */
  position: string;
  overlay: string | null;
  hands: Hand[];
  /** Who made the last move. */
  mover: string;
  words: string;
  result: string;
}

/** A move of the engine, as the API streams it. */
interface EngineLine {
  move: string;
  line: string[];
  /** Who makes these moves. */
  seats: Seat[];
  margin: number;
  win: number;
  lower: number;
  upper: number;
  nodes: number;
}

/** What the engine has found so far. */
interface EngineUpdate {
  state: "running" | "done" | "refused";
  sentence: string;
  seat: Seat;
  nodes: number;
  share: number;
  lines: EngineLine[];
}

/** What is known of the names of seats. */
interface AnalysisSeats {
  names: string[];
  /** The seats that win together. */
  parties: Seat[][];
  /** Whether points count, or only who wins. */
  has_points: boolean;
}

/** How an exercise ended: solved at once, solved after a wrong move or a hint, shown, or not solved. */
type ExerciseResult = "first" | "later" | "shown" | "missed";

/** What the server says about a move in an exercise. */
type Judgement = LessonAnswer | ExerciseAnswer | PuzzleJudgement | PuzzleAnswer;

/** What is said of a move: a sentence or an element; with another key it is spoken even if it is the same. */
interface Said {
  state: Judgement["state"];
  words: unknown;
  key: number;
}

/** What the panels of a series of exercises show. */
interface ExerciseState {
  /** The number of the step, from 0; that of all steps at the end. */
  number: number;
  /** Those made in this step. */
  moves: string[];
  answer: Judgement | null;
  /** Whether something wrong was tried, or help was used, in this step. */
  hasErred: boolean;
  isHintShown: boolean;
  said: Said;
  /** What others played after the move. */
  events: string[];
  /** The number of the move of best play after which the position is shown, from 0; -1 if it is another position. */
  shownPly: number;
  /** How each step was solved. */
  results: (ExerciseResult | null)[];
}

/** What a page knows about its exercises. */
interface ExerciseHost {
  /** The number of the exercise to begin with, from 0. */
  first?: number;
  /** Answers in place of the API, on pages whose answers are stored in them. */
  ask?: (path: string, question: StoredQuestion) => Promise<{ answer: Judgement | null; sentence: string }>;
  /** Whether those that were not reached are no part of the summary. */
  endsEarly?: boolean;
  /** What the button says that leads on after a solution; "Next" without. */
  next?: string;
  /** A signal with a sentence about the player's rating, empty without one. */
  rating?: { readonly value: string };
  /** Called with the number of exercises that are done. */
  onStep?: (steps: number) => void;
  /** Called when an exercise is solved, or was shown. */
  onDone?: (number: number, result: ExerciseResult) => void;
  /** Called with each answer to a move, or to giving up. */
  onAnswer?: (answer: Judgement) => void;
  /** Called in place of showing the end. */
  onEnd?: () => void;
  /** Called after a wrong move. */
  onWrong?: (number: number) => void;
  /** Returns more fields of each question to the server; told whether a wrong move or help came before it. */
  describe?: (hasErred: boolean) => Record<string, unknown>;
}

/** A question about moves, where the answers are stored in the page. */
interface StoredQuestion {
  /** The number of the exercise, from 0. */
  step: number;
  moves: string[];
  /** Whether the solution is to be shown. */
  show?: boolean;
}

/** The answers that a page stores, as `scripts/build_practice.py` writes them. */
interface StoredAnswers {
  steps: StoredStep[];
  patches: ScenePatch[];
  texts: string[];
  /** Of puzzles, in Elo points. */
  difficulties: number[];
}

interface StoredStep {
  /** SVG. */
  board: string;
  tray: string | null;
  start: StoredAnswer;
}

/** An answer of the API with the numbers of patches and texts, and the answers that can follow. */
interface StoredAnswer {
  state: Judgement["state"];
  feedback: number;
  events: string[];
  patches: number[];
  /** What the picture says of moves, while some can be made. */
  picture?: Partial<Pick<BoardPicture, "moves" | "labels" | "pictures" | "effects">>;
  moves?: Record<string, StoredAnswer>;
  /** Why something that can be chosen is not allowed. */
  refusals?: Record<string, number>;
  /** The answer to giving up. */
  shown?: StoredAnswer;
  next?: string | null;
  found?: number;
  hint?: number;
  facts?: number;
  play?: (Omit<LineMove, "patch"> & { patch: number })[];
}

/** What the status line needs to know of a position. */
interface ChoiceState {
  game: Pick<GameInfo, "prompts">;
  /** SVG. */
  pictures: Record<Token, string>;
  ply: number;
  names: string[];
}

/** What decides about the space for board and tray. */
interface SpaceState {
  game: Pick<GameInfo, "hidden">;
  /** Those of this browser. */
  seats: Seat[];
}
