/** What a page says of itself. */
export interface TabNote {
  clientId: string
  tabId: string
  actions: string[]
  notes?: Readonly<Record<string, readonly string[]>>
  sessionId: string | null
  alive?: string[]
}

/** What became of something that a page was asked to do. */
export interface CallNote {
  sessionId: string
  clientId: string
  toolCallId: string
  status: 'success' | 'failed'
  output?: unknown
  errorText?: string
}

/** A page of the web as text to read. */
export interface ReadablePage {
  url: string
  status: number
  title: string
  mediaType: string
  text: string
  isMarkdown: boolean
  note?: string
}

export interface FileInfo {
  path: string
  kind: 'text' | 'image' | 'binary'
  bytes: number
  text?: string
  isCut?: boolean
}

/** A command in the background. */
export interface TaskInfo {
  id: string
  kind: 'command' | 'terminal'
  command: string
  status: 'running' | 'ended' | 'stopped' | 'timed-out'
  exitCode: number | null
  startedAt: number
  endedAt: number | null
}

export interface TaskNews {
  task: TaskInfo
  text: string
  next: number
  lost: number
}

/** What a tool asks this page to do. */
export interface PageCall {
  askId: string
  sessionId: string
  toolCallId: string
  toolName: string
  /** The name of a file in `actions/`. */
  action: string
  input: unknown
  title: string
  /** It is done when the person clicks, and not before. */
  byPerson: boolean
  createdAt: number
  timeoutMs: number | null
}
