// Types of the messages between the page and the server, and of the state that the page keeps of a table.
// The server's side, with the meaning of every field, is `web/protocol`.

/** A seat, counted from 0. */
type Seat = number;

/** A move or a part of one as the player writes it; a move is its tokens joined by spaces. */
type Token = string;

/** A line of premoves; null stands for any move of an opponent. */
type PremoveLine = (string | null)[];

interface Clock {
  kind: "game" | "days";
  /** Seconds left by seat, measured at the server time `since`. */
  left: number[];
  /** The seat whose time runs. */
  running: Seat | null;
  since: number;
  increment: number;
  days: number;
}

interface Chair {
  taken: boolean;
  /** This browser sits here, or the seat is reserved for it. */
  mine: boolean;
  /** The seat is reserved for somebody who has not sat down yet. */
  kept: boolean;
}

interface TakebackRequest {
  by: Seat;
  /** The number of plies that remain if the request is granted. */
  ply: number;
  /** The seats that have not answered yet. */
  missing: Seat[];
}

/** What counts on a final board. */
interface Area {
  /** Unique, such as "box c4". */
  name: string;
  /** x, y, width and height on the board. */
  box: [number, number, number, number];
  points: number;
  /** The first seat of the party that it counts for. */
  seat: Seat;
}

/** A fact shown beside the board: its seat (null: the whole table), name and value. */
type Fact = [Seat | null, string, string];

interface Outcome {
  winners: Seat[];
  reason: string;
  /** "complete", "no-moves" or "forfeit" on the board; "resignation", "timeout" or "agreement" otherwise. */
  termination: string;
}

interface GameInfo {
  id: string;
  title: string;
  seats: number;
  seat_names: string[];
  options: Record<string, unknown>;
  /** Whether seats know different things. */
  hidden: boolean;
  /** The seats that win together. */
  teams: Seat[][];
  /** The number of levels at which the computer plays, from 1. */
  levels: number;
  scoring: "points" | "last-move";
  /** What to choose next, by the first word of the tokens that can follow. */
  prompts: Record<string, string>;
  /** The colours that players choose from; null if they do not choose. */
  colours: ColourInfo | null;
}

/** The colours of a game in which players choose one. */
interface ColourInfo {
  /** A letter for each seat, then those of colours that no seat has. */
  value: string;
  /** All colours by letter. */
  names: Record<string, string>;
}

interface Settings {
  clock?: { kind: "game" | "days" } | null;
  visibility?: "link" | "public";
  chat?: "phrases" | "free";
  rated?: boolean;
  /** Whether nobody sees points until the end, so that the players count them on the board. */
  hide_points?: boolean;
  /** Whether the owner waits for anybody who looks for an opponent. */
  pairing?: boolean;
}

/** The commands that this browser may give; `add-computer` fills a free seat with one. */
type Verb =
  | "sit"
  | "leave-seat"
  | "add-computer"
  | "resign"
  | "undo"
  | "offer-draw"
  | "answer-draw"
  | "request-takeback"
  | "answer-takeback"
  | "rematch"
  | "rename"
  | "reveal";

/** What changes with every event of a table. */
interface TableChange {
  version: number;
  /** The seat whose view this is; null for a spectator. */
  viewer: Seat | null;
  seat: Seat | null;
  /** Whether the seat to move belongs to this browser. */
  mine: boolean;
  /** The seats that belong to this browser. */
  seats: Seat[];
  started: boolean;
  over: boolean;
  outcome: Outcome | null;
  result: string;
  scores: number[];
  /** Seats that resigned or ran out of time. */
  out: Seat[];
  names: string[];
  /** By seat: "person", "computer:LEVEL" or "computer:SECONDSs". */
  kinds: string[];
  chairs: Chair[];
  clock: Clock | null;
  /** The seat that offers a draw. */
  draw: Seat | null;
  takeback_request: TakebackRequest | null;
  may: Verb[];
  /** The id of the rematch. */
  rematch: string | null;
  commitment: string | null;
  nonce: string | null;
  /** By seat, after a rated game: the rating before and after. */
  moved: ([number, number] | null)[] | null;
  /** Why a rated game that is over does not count for ratings. */
  unrated: string | null;
  facts: Fact[];
  /** The legal moves, or null if there are too many to send. */
  moves: string[] | null;
  ply: number;
  /** Names of the tokens that no element of the picture stands for. */
  labels: Record<Token, string>;
  /** Small pictures of tokens, as SVG. */
  pictures: Record<Token, string>;
  /** What moves do that their tokens do not say. */
  effects: Record<string, string>;
  /** Several people share this screen, and hands are hidden between their turns. */
  curtain: boolean;
  /** Whether exact values may be asked for. */
  revealed: boolean;
  /** Whether players now count points that were hidden, on the final board. */
  count: boolean;
  /** All that counts on the final board, while players count points. */
  areas: Area[];
  /** The name of the layer that the game can draw over the board. */
  overlay: string | null;
}

/** What the seats give for a fair shuffle. */
interface Shuffle {
  /** By seat: the hash of its value; null if it takes no part. */
  hashes: (string | null)[];
  /** By seat, once the game has started: its value; null if it gave none. */
  values: (string | null)[];
  /** Whether every seat is taken, and the game starts with the last value. */
  waiting: boolean;
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

/** What stays the same as long as the page is open; a new state comes whenever it does not. */
interface TableIntroduction {
  game: GameInfo;
  /** A record to look at, not a game to play. */
  study: boolean;
  confirm: boolean;
  settings: Settings;
  clock_label: string;
  host: boolean;
  /** Null if nothing is shuffled fairly here. */
  shuffle: Shuffle | null;
  phrases: string[];
}

/** A seat and its move. */
type Ply = [Seat, string];

/** A sentence about something that a move shows; the page shows it once. */
interface Explanation {
  /** Unique within the game. */
  id: string;
  sentence: string;
}

interface StateMessage extends TableChange, TableIntroduction {
  type: "state";
  /** SVG. */
  board: string;
  /** SVG. */
  tray: string | null;
  plies: Ply[];
  /** The plies in words, clauses without subject. */
  words: string[];
  /** The plies as small pictures (SVG, perhaps empty); none if the game draws no moves. */
  miniatures: string[];
  /** Those of the last ply. */
  explanations: Explanation[];
}

interface ElementChange {
  markup?: string;
  class?: string;
  label?: string;
  gesture?: string;
  token?: string;
}

interface PartPatch {
  /** The new `viewBox`. */
  box?: string;
  label?: string;
  /** Ids of elements to remove. */
  remove?: string[];
  set?: Record<string, ElementChange>;
  /** The id of the element to insert behind (empty: at the start), and the SVG to insert. */
  add?: [string | null, string][];
}

interface ScenePatch {
  board?: PartPatch | null;
  tray?: PartPatch | null;
}

/** What a patch leaves out is as before. */
interface PatchMessage extends Partial<TableChange> {
  type: "patch";
  version: number;
  /** The version that this patch applies to. */
  from: number;
  patch: ScenePatch;
  /** Keep this many plies, then append `plies`. */
  plies_from: number;
  plies: Ply[];
  /** These plies in words, clauses without subject. */
  words: string[];
  /** These plies as small pictures. */
  miniatures: string[];
  /** Those of these plies. */
  explanations: Explanation[];
}

/** Who is connected. */
interface PresenceMessage {
  type: "presence";
  chairs: boolean[];
  watching: number;
}

interface BeatMessage {
  type: "beat";
  /** The server's time in seconds. */
  now: number;
  /** The next beat comes within this many seconds. */
  interval: number;
}

interface DoneMessage {
  type: "done";
  id: string;
  version: number;
}

interface RefusedMessage {
  type: "refused";
  id: string;
  code: string;
  sentence: string;
}

interface StaleMessage {
  type: "stale";
  id: string;
  sentence?: string | null;
}

/** The answer to a command. */
type CommandAnswer = DoneMessage | RefusedMessage | StaleMessage;

interface BadMessage {
  type: "error";
  sentence: string;
  /** The type of the message that could not be read. */
  of?: string | null;
  id?: string | null;
}

interface PremovesMessage {
  type: "premoves";
  seat: Seat;
  lines: PremoveLine[];
  /** The seat that plays each move of each line. */
  movers: (Seat | null)[][];
}

/** The position after a line of moves, or only what may follow some tokens there. */
interface TryAnswer {
  type: "preview";
  line: PremoveLine;
  tokens: Token[] | null;
  seat?: Seat | null;
  /** Why this line cannot be played. */
  sentence?: string | null;
  board?: string | null;
  tray?: string | null;
  mover?: Seat | null;
  moves?: string[] | null;
  labels?: Record<Token, string> | null;
  next?: Token[] | null;
  move?: boolean | null;
}

interface ChatLine {
  number: number;
  name: string;
  /** Null where the speaker has left the table. */
  seat: Seat | null;
  text: string;
  mine: boolean;
  /** The same for all lines of one person, to mute them by. */
  who: string;
  at: number;
}

interface ChatMessage {
  type: "chat";
  lines: ChatLine[];
}

interface ReportedMessage {
  type: "report";
  taken: boolean;
}

interface ByeMessage {
  type: "goodbye";
  sentence: string;
}

interface ThinkingMessage {
  type: "computer-progress";
  seat: Seat;
  simulations: number;
  /** The share of its time or simulations that the computer has used. */
  share: number;
  /** Whether its level is still being compiled; then the share says how much of it is. */
  preparing: boolean;
}

interface PreparingMessage {
  type: "preparing";
  /** For each feature, the share of it that is compiled. */
  features: Record<string, number>;
}

interface LookAnswer {
  type: "look";
  ply: number;
  board: string;
  tray: string | null;
  facts: Fact[];
  scores: number[];
}

interface CompleteAnswer {
  type: "complete";
  tokens: Token[];
  next: Token[];
  /** Whether the tokens are a whole move. */
  move: boolean;
  labels: Record<Token, string>;
}

interface WhyAnswer {
  type: "why";
  text: string;
  code: string | null;
  sentence: string | null;
}

/** How a value is to be read: a margin of points, the margin of what is left to play, or won and lost alone. */
type Counts = "margin" | "rest" | "win";

interface EngineAnswer {
  id: string;
  state: "found" | "solved" | "bounds" | "refused" | "cancelled";
  sentence?: string | null;
  detail?: string | null;
}

interface SolveAnswer extends EngineAnswer {
  type: "solve";
  ply: number;
  seat?: Seat | null;
  worth?: number | null;
  counts?: Counts | null;
  /** Every move with its value for the seat to move, the best first. */
  moves?: [string, number][] | null;
}

interface SolvingMessage {
  type: "solve-progress";
  ply: number;
  lower: number;
  upper: number;
  nodes: number;
}

interface HintAnswer extends EngineAnswer {
  type: "hint";
  move?: string | null;
  reason?: string | null;
}

interface EvaluateAnswer extends EngineAnswer {
  type: "evaluate";
  ply: number;
  /** The expected share of the first of `sides`, and the range in which it lies. */
  share?: number | null;
  low?: number | null;
  high?: number | null;
  sides?: Seat[][] | null;
  solved?: boolean | null;
}

type ServerMessage =
  | StateMessage
  | PatchMessage
  | PresenceMessage
  | BeatMessage
  | DoneMessage
  | RefusedMessage
  | StaleMessage
  | BadMessage
  | PremovesMessage
  | TryAnswer
  | ChatMessage
  | ReportedMessage
  | PreparingMessage
  | { type: "ready" }
  | ByeMessage
  | ThinkingMessage
  | LookAnswer
  | CompleteAnswer
  | WhyAnswer
  | SolveAnswer
  | SolvingMessage
  | HintAnswer
  | EvaluateAnswer;

type ServerMessageOf<T extends ServerMessage["type"]> = Extract<ServerMessage, { type: T }>;

interface MoveCommand {
  type: "move";
  id: string;
  version: number | null;
  move: string;
}

interface ActionCommand {
  type: Verb;
  id: string;
  version: number | null;
  seat?: Seat;
  accept?: boolean;
  name?: string;
  kind?: string;
  level?: number;
  hash?: string;
  value?: string;
}

/** What changes the game: it is sent again until it is answered. */
type Command = MoveCommand | ActionCommand;

/** What each kind of question asks with. */
interface Questions {
  look: { ply: number };
  complete: { tokens: Token[] };
  why: { text: string };
  preview: { seat: Seat | null; line: PremoveLine; tokens?: Token[] };
  solve: { id: string; ply: number };
  hint: { id: string };
  evaluate: { id: string; ply: number };
}

type QuestionType = keyof Questions;

/** What is sent once and never answered by id. */
interface Posts {
  say: { phrase?: number; text?: string };
  report: { number?: number; text?: string };
  premoves: { seat: Seat | null; ply: number; lines: PremoveLine[] };
}

type Versioned = { version: number | null };

type ClientMessage =
  | { type: "hello"; version: number | null; viewer?: Seat | null }
  | Command
  | { [Q in QuestionType]: { type: Q } & Versioned & Questions[Q] }[QuestionType]
  | { [P in keyof Posts]: { type: P } & Versioned & Posts[P] }[keyof Posts]
  | { type: "change-viewer"; viewer: Seat | null }
  | { type: "cancel-solve" }
  | { type: "beat"; now: number }
  | { type: "probe" };

/** What the page knows of its table: the last state, all patches since, and who is connected. */
interface TableState extends TableChange, TableIntroduction {
  /** All plies, in moves, in words, and as small pictures (SVG, perhaps empty). */
  plies: Ply[];
  words: string[];
  miniatures: string[];
  explanations: Explanation[];
  presence: PresenceMessage | null;
  /** While hidden points are counted: what has been counted so far, by seat; null where nobody counts here. */
  tallies?: (number | null)[];
}

/** The part of a position that the panels beside the board show; an earlier one replaces it while stepping back. */
interface ShownPosition {
  facts: Fact[];
  scores: number[];
}

/** A position as one seat sees it, with the moves that can be made. */
interface BoardPicture {
  /** SVG. */
  board: string;
  /** SVG. */
  tray: string | null;
  /** The position in one line. */
  text: string;
  viewer: Seat | null;
  /** The seat to move. */
  seat: Seat | null;
  /** The names of the seats' colours here: seats may exchange them during a game. */
  seat_names: string[];
  scores: number[];
  facts: [Seat | null, string, string][];
  /** Null if there are too many. */
  moves: string[] | null;
  labels: Record<Token, string>;
  /** SVG. */
  pictures: Record<Token, string>;
  effects: Record<string, string>;
}

/** The first move of a typed game that cannot be played. */
interface WrongEntry {
  /** Counted from 1. */
  number: number;
  move: string;
  /** A sentence. */
  reason: string;
  /** Its number and the reason. */
  sentence: string;
}

/** What the moves of a game that was played on paper lead to: the answer of the API. */
interface EntryAnswer {
  /** How many moves are right. */
  played: number;
  wrong: WrongEntry | null;
  /** All moves, with those of a typed line one by one. */
  moves: string[];
  /** The last right move. */
  words: string;
  over: boolean;
  result: string;
  record: string;
  picture: BoardPicture;
}

/** What has come of the moves in a step of a lesson: the answer of the API. */
interface LessonAnswer {
  state: "open" | "done" | "wrong" | "refused";
  /** HTML. */
  feedback: string;
  /** What others have played, in sentences. */
  events: string[];
  /** They lead to the picture one ply at a time. */
  patches: ScenePatch[];
  picture: BoardPicture;
  /** A move that helps; null if there is none. */
  next: string | null;
}

/** What has come of a move in an exercise. */
interface ExerciseAnswer {
  state: "open" | "done" | "wrong" | "refused";
  /** Whether the judgement is proven; otherwise it is an estimate. */
  proven: boolean;
  /** HTML. */
  feedback: string;
  /** What was played after the move, in sentences. */
  events: string[];
  /** They lead to the picture one ply at a time. */
  patches: ScenePatch[];
  picture: BoardPicture;
  /** Best moves, once the exercise is over. */
  best: string[];
  /** The line behind the judgement. */
  line: string[];
}

/** What has come of a move in a puzzle. */
interface PuzzleAnswer extends ExerciseAnswer {
  /** The new rating; null unless the attempt counts. */
  rating: number | null;
  change: number | null;
}
