import { Buffer } from 'node:buffer'
import { type ChartDisplay, chartProblem, type DiffDisplay } from '@troupe/protocol'
import { fileKind, headLength } from '../files/file-kind.ts'
import { resolvePath, shownPath } from '../files/resolve-path.ts'
import { takeSnapshot } from '../files/snapshot.ts'
import { diffBytes, type DiffSide } from '../text/diff.ts'
import { decodeText, detectFormat, utf8Format } from '../text/encoding.ts'
import type { ToolContext } from '../tool/tool.ts'

export interface PanelRequest {
  kind: string
  target?: string | undefined
  title?: string | undefined
  /** The two sides of a diff, if not the file's current and earlier content. */
  before?: string | undefined
  after?: string | undefined
  option?: string | Record<string, unknown> | undefined
}

type Files = Pick<ToolContext, 'state' | 'session' | 'granted'>

const maxChartBytes = 50_000

/** File that `panelContent` reads. Read rules apply to it. */
export function panelFile({ kind, target, before, after, option }: PanelRequest): string | undefined {
  if (kind === 'diff') return before === undefined || after === undefined ? target : undefined
  return kind === 'chart' && option === undefined ? target : undefined
}

/**
 * Content of a panel that the page does not load itself. Undefined for other kinds, and for a chart referenced by its
 * title. Throws advice for the model.
 */
export async function panelContent(wish: PanelRequest, ctx: Files): Promise<DiffDisplay | ChartDisplay | undefined> {
  if (wish.kind === 'diff') return diffOf(wish, ctx)
  return wish.kind === 'chart' ? chartOf(wish, ctx) : undefined
}

async function diffOf(wish: PanelRequest, ctx: Files): Promise<DiffDisplay> {
  const { target, title, before, after } = wish
  const read = panelFile(wish)
  const file = read === undefined ? undefined : resolvePath(ctx, read, { for: 'read' })
  const path = file === undefined ? (target ?? title ?? 'text') : shownPath(file.path, ctx.state.roots[0] ?? '')
  const now = after !== undefined ? Buffer.from(after) : await bytesOf(file)
  const old = before !== undefined ? Buffer.from(before) : await earlier()
  if (now === null && old === null) throw new Error(`${path} does not exist and did not exist in this chat.`)
  const change = now === null ? 'deleted' : old === null ? 'created' : 'changed'
  return { kind: 'diff', path, change, ...(await diffBytes(sideOf(old, path), sideOf(now, path))) }

  async function earlier(): Promise<Uint8Array | null> {
    const known =
      file === undefined ? undefined : await ctx.state.undo.original(file.path, { sessionId: ctx.session.id })
    if (known === undefined)
      throw new Error(
        `No tool has changed ${path} in this chat, so its earlier content is unknown. Give the earlier text as "before".`,
      )
    return known.bytes
  }
}

async function chartOf(wish: PanelRequest, ctx: Files): Promise<ChartDisplay | undefined> {
  const { target, title, option: given } = wish
  const read = panelFile(wish)
  const file = read === undefined ? undefined : readable(read, ctx)
  if (given === undefined && file === undefined) return undefined
  const value = typeof given === 'object' ? given : parsed(given ?? fileText(await bytesOf(file), target))
  const { option, title: own } = (hasOption(value) ? value : { option: value }) as { option: unknown; title?: unknown }
  const problem = chartProblem(option)
  if (problem !== undefined) throw new Error(`The chart was not shown. ${problem}`)
  if (JSON.stringify(option).length > maxChartBytes)
    throw new Error(
      `The chart has more than ${maxChartBytes} characters. Show it with ChartRender first, then give its title as "target".`,
    )
  const name = title ?? (typeof own === 'string' ? own.slice(0, 200) : undefined)
  return { kind: 'chart', option: option as Record<string, unknown>, title: name }
}

/** Undefined if the target is not a file. It may also be a chart's title. */
function readable(target: string, ctx: Files): ReturnType<typeof resolvePath> | undefined {
  const file = resolvePath(ctx, target, { for: 'read' })
  return file.stats === undefined ? undefined : file
}

async function bytesOf(file: ReturnType<typeof resolvePath> | undefined): Promise<Uint8Array | null> {
  return file === undefined ? null : ((await takeSnapshot(file.path, { shown: file.shown }))?.bytes ?? null)
}

function sideOf(bytes: Uint8Array | null, path: string): DiffSide | undefined {
  if (bytes === null) return undefined
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (buffer.length === 0) return { bytes: buffer, format: utf8Format }
  const kind = fileKind(buffer.subarray(0, headLength))
  if (kind.kind !== 'text') throw new Error(`${path} is not a text file, so its changes cannot be shown.`)
  return { bytes: buffer, format: detectFormat(buffer) }
}

function fileText(bytes: Uint8Array | null, path = ''): string {
  if (bytes === null) throw new Error(`${path} does not exist.`)
  return decodeText(bytes, detectFormat(bytes))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`"option" is not valid JSON: ${(error as Error).message}. Send it as an object.`, { cause: error })
  }
}

/** A file may hold the whole input of ChartRender. */
function hasOption(value: unknown): value is { option: unknown; title?: unknown } {
  return typeof value === 'object' && value !== null && 'option' in value && !('series' in value)
}
