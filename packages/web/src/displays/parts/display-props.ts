/** What a tool put into `display.content`, or into `permission.content` while its call waits. */
export interface DisplayContent {
  kind: string
  [field: string]: unknown
}

/** What every display gets. Contents come from tools of anybody: a field may be missing or be anything. */
export interface DisplayProps {
  content: DisplayContent
  /** More is coming. */
  live?: boolean
}
