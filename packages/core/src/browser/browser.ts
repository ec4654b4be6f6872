import type { ToolContext } from '../tool.ts'

/** Browsers that tools drive: one for each session, with nothing of the person's own in it. */
export interface Browser {
  /** A page of its own for an agent, in the browser of its session. Nothing is started before it is opened. */
  newPage(sessionId: string): BrowserPage
  /** Why an address would not be opened, as far as that is known without asking anybody for it. */
  refusalOf?(url: URL): Promise<string | undefined>
}

/** What a call lends to the page it works with. */
export type BrowserCall = Pick<ToolContext, 'signal' | 'process' | 'run' | 'toolCallId'>

/**
 * One page. Its calls wait for each other. All but `open` throw while nothing is open. A page goes only to hosts that
 * `open` was called for; where it wants to go elsewhere, a note says so.
 */
export interface BrowserPage {
  /** Throws for what is not an address of the public web. */
  open(url: string, call: BrowserCall): Promise<PageLook>
  look(call: BrowserCall): Promise<PageLook>
  /** What an element is, as it stands in the outline: `button "Send"`. */
  describe(ref: string, call: BrowserCall): Promise<string>
  /** HTML of the whole page or of an element; of its tables alone where those are wanted. */
  html(part: { ref?: string | undefined; tables?: boolean }, call: BrowserCall): Promise<{ url: string; html: string }>
  links(ref: string | undefined, call: BrowserCall): Promise<{ url: string; links: { text: string; url: string }[] }>
  act(act: PageAct, call: BrowserCall): Promise<PageLook & { element?: string }>
  /** Whether it has come about in time. */
  wait(until: PageCondition, ms: number, call: BrowserCall): Promise<boolean>
  /** What is to be seen of the page now. */
  picture(call: BrowserCall): Promise<PagePicture>
  dispose(): Promise<void>
}

export interface PageLook {
  url: string
  title: string
  /** Of the answer that brought the page, where it was just opened. */
  status?: number
  outline: readonly OutlineNode[]
  /** What happened besides, in sentences: refused ways, dialogs, downloads. Each is told once. */
  notes: readonly string[]
}

/** A text, or an element as assistive programs see it. */
export type OutlineNode =
  | string
  | {
      readonly role: string
      readonly name?: string
      readonly text?: string
      readonly ref?: string
      readonly url?: string
      readonly cursor?: string
      readonly children?: readonly OutlineNode[]
      readonly [state: string]: unknown
    }

export interface PageAct {
  action: 'click' | 'type' | 'select' | 'press' | 'scroll' | 'back'
  /** The origin that leave was given for: nothing is done when the page is elsewhere. */
  origin: string
  ref?: string | undefined
  /** What is typed, the option that is chosen, or the key that is pressed. */
  text?: string | undefined
  /** Enter is pressed after typing. */
  submit?: boolean | undefined
  direction?: 'up' | 'down' | undefined
}

export type PageCondition =
  | { kind: 'text' | 'gone'; text: string }
  | { kind: 'ref'; ref: string }
  /** A part of the address. */
  | { kind: 'url'; url: string }
  | { kind: 'time' }

export interface PagePicture {
  bytes: Uint8Array
  mediaType: string
  width: number
  height: number
}
