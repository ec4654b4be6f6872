/**
 * Structured values of a result's `display.content`. Cards switch on `kind`. Paths inside the workspace are relative to
 * it. Custom tools can return one of these and get its card.
 */
export type Display =
  | DiffDisplay
  | PatchDisplay
  | FileDisplay
  | ImageDisplay
  | MediaDisplay
  | ListDisplay
  | MatchesDisplay
  | PageDisplay
  | ResultsDisplay
  | TerminalDisplay
  | ChecklistDisplay
  | AgentDisplay
  | ChartDisplay
  | TableDisplay
  | DataChangeDisplay

export interface DiffDisplay {
  kind: 'diff'
  path: string
  change: 'created' | 'changed' | 'deleted' | 'moved'
  /** Previous path if the file was moved. */
  from?: string
  /** Hunks without file headers. Empty if the text did not change. */
  diff: string
  added: number
  removed: number
  /** The diff is truncated; `added` and `removed` count the whole diff. */
  cut?: true
  /** In an approval: the parts that can be accepted one by one. `from` to `to` are lines of `diff`, the last excluded. */
  hunks?: { id: string; from: number; to: number }[]
  pages?: PagePicture[] | undefined
}

/** A rendered page of a document. `/ai/blobs/<sha256>` serves the bytes. */
export interface PagePicture {
  /** `p. 12` */
  title: string
  sha256: string
  mediaType: string
}

export interface PatchDisplay {
  kind: 'patch'
  files: DiffDisplay[]
}

/** The first lines of a file that was read. The text the model read is in the tool call's notes. */
export interface FileDisplay {
  kind: 'file'
  path: string
  text: string
  /** 1-based number of the first line shown. */
  from: number
  /** Number of lines the model got. */
  lines: number
  more: boolean
  /** The text is Markdown, made from a document. */
  isMarkdown?: boolean | undefined
  pages?: PagePicture[] | undefined
}

/** An image. The history stores its hash; `/ai/blobs/<sha256>` serves the bytes. */
export interface ImageDisplay {
  kind: 'image'
  path: string
  mediaType: string
  size: number
  sha256?: string
  /** Steps that made it, as sentences. */
  steps?: string[] | undefined
}

export interface MediaDisplay {
  kind: 'media'
  prompt: string
  files: { sha256: string; mediaType: string; size: number }[]
}

export interface ListDisplay {
  kind: 'list'
  path: string
  entries: FolderDisplayEntry[]
  left: number
}

export interface FolderDisplayEntry {
  name: string
  kind: 'file' | 'folder' | 'link' | 'other'
  /** 0-based depth in the tree. */
  depth: number
}

export interface MatchesDisplay {
  kind: 'matches'
  pattern: string
  files: { path: string; lines: { number: number; text: string; match: boolean }[] }[]
  more: boolean
}

export interface PageDisplay {
  kind: 'page'
  url: string
  title: string
  status: number
  mediaType: string
  text: string
  characters: number
}

export interface ResultsDisplay {
  kind: 'results'
  query: string
  results: { title: string; url: string; text: string; date?: string }[]
}

/** The tail of a command's output, with raw control sequences. */
export interface TerminalDisplay {
  kind: 'terminal'
  command: string
  text: string
  exitCode: number | null
  durationMs: number
  status: 'running' | 'ended' | 'stopped' | 'timed-out'
  taskId?: string
  spilled?: { path: string; length: number }
}

export interface ChecklistDisplay {
  kind: 'checklist'
  items: { content: string; status: 'pending' | 'in_progress' | 'completed'; activeForm?: string }[]
}

/** Outcome of a sub-agent. Its conversation is found by its id. */
export interface AgentDisplay {
  kind: 'agent'
  agentId: string
  name: string
  status: 'pending' | 'running' | 'waiting' | 'completed' | 'failed' | 'stopped'
  text: string
  note?: string
  steps: number
  tokens: number
}

/** An ECharts option as data. See `chartProblem` for the allowed values. */
export interface ChartDisplay {
  kind: 'chart'
  option: Record<string, unknown>
  title?: string
  height?: number
}

/** The first rows of a query. All of them can be saved by running it again. */
export interface TableDisplay {
  kind: 'table'
  connection?: string | undefined
  /** Absent for a list of tables. */
  sql?: string | undefined
  columns: { name: string; type: string; kind: 'number' | 'text' | 'boolean' | 'time' | 'other' }[]
  rows: (string | null)[][]
  rowCount: number
  /** False if only part of the rows was counted. */
  counted: boolean
}

/** A statement that changes data, and what a dry run or the change itself found. */
export interface DataChangeDisplay {
  kind: 'data-change'
  connection?: string | undefined
  sql: string
  /** Rows that change. Absent before a dry run. */
  rowCount?: number | undefined
  canUndo?: boolean | undefined
  /** File that the rows of the statement are saved to. */
  output?: string | undefined
}
