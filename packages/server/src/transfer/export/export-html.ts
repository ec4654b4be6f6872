import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { AgentRecord, Blobs, RunRecord } from '@troupe/core'
import type { LogItem, StoredMessage } from '@troupe/protocol'
import { yieldToEventLoop } from '../../util/concurrency.ts'
import { agentsStartedBy } from './export-markdown.ts'
import { type ExportOptions, type ExportSource, exportTexts } from './export-session.ts'
import type { ExportTexts } from './languages/en.ts'
import { escapeHtml, markdownToHtml, piecesToHtml } from './markdown-to-html.ts'
import { type ReadablePart, readableParts, speaker } from './part-texts.ts'
import { buildTimeline, type PartTimes, type Timeline } from './timeline.ts'
import type { PicturePiece } from './ui-pieces.ts'

const maxOutputLength = 20_000
/** Longer texts are shown unformatted, since formatting would block the event loop. */
const longText = 200_000
/** Replay delays: after a user message before its answer, and after an answer before the next message. */
const [readingMs, pauseMs] = [800, 500]

const script = readFileSync(new URL('./replay.js', import.meta.url), 'utf8')
const style = readFileSync(new URL('./replay.css', import.meta.url), 'utf8')
/** Allows only our own script and style by hash, so nothing in a message can run. */
export const exportPolicy = [
  "default-src 'none'",
  `script-src '${cspHash(script)}'`,
  `style-src '${cspHash(style)}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/** Exports a branch as one HTML file that replays it, offline and without requests. */
export async function* exportHtml(
  source: ExportSource,
  { leaf, language, prints = false }: ExportOptions = {},
): AsyncGenerator<string> {
  const { session } = source
  const texts = exportTexts(language)
  const { player } = texts
  const title = escapeHtml(session.title)
  yield `<!doctype html>
<html lang="${texts.tag}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${exportPolicy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${style}</style>
</head>
<body${prints ? ' data-print' : ''}>
<header>
<h1>${title}</h1>
<p>${formatTime(session.createdAt)} · ${texts.exported}</p>
</header>
<main>
`
  const page = createPage(source, texts, await source.store.runs.ofSession(session.id))
  const { length, html } = page.conversation({ start: 0, leaf })
  yield* html
  yield `</main>
<form id="player" data-length="${length()}" aria-label="${player.name}" hidden>
<button type="button" id="play" aria-pressed="false" data-play="${player.play}" data-pause="${player.pause}">${player.play}</button>
<button type="button" id="back" aria-label="${player.back}">‹</button>
<button type="button" id="next" aria-label="${player.next}">›</button>
<input type="range" id="seek" aria-label="${player.moment}" min="0" step="1">
<output id="time"></output>
<label>${player.speed} <select id="speed"><option value="0.5">½</option><option value="1" selected>1</option><option value="2">2</option><option value="4">4</option><option value="16">16</option></select></label>
<label><input type="checkbox" id="skip" checked> ${player.skip}</label>
</form>
<script>${script}</script>
</body>
</html>
`
}

interface Conversation {
  agent?: AgentRecord
  /** Start on the timeline. Runs of sub-agents use the time of their parent run. */
  start: number
  within?: { createdAt: number; at: number }
  leaf?: string | undefined
}

function createPage(source: ExportSource, texts: ExportTexts, runs: RunRecord[]) {
  const runsOf = Map.groupBy(runs, (run) => `${run.agentId ?? ''} ${run.messageId}`)
  const embed = embedPictures(source.blobs, texts)
  return { conversation }

  function conversation({ agent, start, within, leaf }: Conversation): {
    html: AsyncGenerator<string>
    /** End on the timeline, known once everything was read. */
    length: () => number
  } {
    let now = start
    return { html: html(), length: () => now }

    async function* html(): AsyncGenerator<string> {
      const at = { sessionId: source.session.id, agentId: agent?.agentId }
      for await (const message of source.branch(at, leaf)) {
        const own = runsOf.get(`${agent?.agentId ?? ''} ${message.id}`) ?? []
        const begun = own[0]?.createdAt
        if (within !== undefined && begun !== undefined) now = Math.max(now, within.at + begun - within.createdAt)
        const timeline = message.role === 'assistant' ? await readTimeline(message, own) : undefined
        yield `<article class="${message.role === 'user' ? 'user' : 'answer'}" data-at="${now}">
<h2>${escapeHtml(heading(message, agent, texts))}</h2>
`
        for (const { index, shown } of readableParts(message, texts)) {
          const times = timeline?.parts.get(index)
          if ((shown.kind === 'text' || shown.kind === 'reasoning') && shown.text.length > longText)
            yield* plainText(shown.text)
          else yield await part(shown, times && shiftTimes(times, now))
          if (shown.kind !== 'call') continue
          const place = { createdAt: begun ?? 0, at: now }
          for (const child of agentsStartedBy(source.agents, shown.toolCallId, agent))
            yield* subAgent(child, (times?.until ?? 0) + now, begun === undefined ? undefined : place)
        }
        const { error } = message.metadata ?? {}
        if (error !== undefined) yield `<p class="error">${escapeHtml(`${error.name}: ${error.message}`)}</p>\n`
        yield '</article>\n'
        // Sub-agents get no reading pause, because their runs record their start times.
        const pause = agent === undefined ? (timeline === undefined ? readingMs : pauseMs) : 0
        now += (timeline?.duration ?? 0) + pause
      }
    }
  }

  async function* subAgent(agent: AgentRecord, start: number, within: Conversation['within']): AsyncGenerator<string> {
    yield `<details class="agent" data-at="${start}"><summary>${escapeHtml(`${texts.subAgent(agent.name)}: ${texts.status[agent.status] ?? agent.status}`)}</summary>\n`
    yield* conversation({ agent, start, within }).html
    yield '</details>\n'
  }

  async function readTimeline(message: StoredMessage, own: RunRecord[]): Promise<Timeline> {
    const items: LogItem[] = []
    for (const run of own) for (const frame of await source.store.frames.read(run.id)) items.push(...frame.items)
    return buildTimeline(items, message.parts, message.metadata?.elapsedMs)
  }

  async function part(shown: ReadablePart, times: PartTimes | undefined): Promise<string> {
    const timed = times === undefined ? '' : ` data-at="${times.at}" data-until="${times.until}"`
    switch (shown.kind) {
      case 'text':
        return `<section class="text"${timed}>${markdownToHtml(shown.text)}</section>\n`
      case 'reasoning':
        return `<details class="reasoning"${timed}><summary>${texts.reasoning}</summary>${markdownToHtml(shown.text)}</details>\n`
      case 'note':
        return `<p class="note"${timed}>${escapeHtml(shown.text)}</p>\n`
      case 'call': {
        const out = times?.out === undefined ? '' : ` data-at="${times.out}"`
        const output =
          shown.output === '' ? '' : `<pre class="output"${out}>${escapeHtml(truncate(shown.output, texts))}</pre>`
        return `<details class="call ${shown.state}"${timed}><summary>${escapeHtml(shown.title)}</summary><pre>${escapeHtml(truncate(shown.input, texts))}</pre>${output}</details>\n${await made(shown, out)}`
      }
      case 'file': {
        const { sha256, name, mediaType } = shown
        const inside =
          sha256 === undefined ? escapeHtml(name) : await embed({ kind: 'picture', name, mediaType, sha256 })
        return `<figure${timed}>${inside}</figure>\n`
      }
      case 'source': {
        const isWeb = /^https?:\/\//i.test(shown.url)
        const title = escapeHtml(shown.title)
        const link = isWeb ? `<a href="${escapeHtml(shown.url)}" rel="noreferrer noopener">${title}</a>` : title
        return `<p class="source"${timed}>${link}</p>\n`
      }
    }
  }

  /** Shows the call's output open below it, starting at the time of its result. */
  async function made(shown: Extract<ReadablePart, { kind: 'call' }>, out: string): Promise<string> {
    if (shown.made.length === 0) return ''
    return `<div class="made"${out}>${await piecesToHtml(shown.made, embed)}</div>\n`
  }
}

async function* plainText(text: string): AsyncGenerator<string> {
  yield '<pre class="text">'
  for (let at = 0; at < text.length; at += longText) {
    yield escapeHtml(text.slice(at, at + longText))
    await yieldToEventLoop()
  }
  yield '</pre>\n'
}

function shiftTimes({ at, until, out }: PartTimes, by: number): PartTimes {
  return { at: at + by, until: until + by, out: out === undefined ? undefined : out + by }
}

function heading(
  { role, metadata, createdAt }: StoredMessage,
  agent: AgentRecord | undefined,
  texts: ExportTexts,
): string {
  const name = speaker({ role, metadata }, agent, texts)
  const facts = [
    ...(role !== 'user' && metadata?.model !== undefined ? [metadata.model] : []),
    ...(metadata?.elapsedMs === undefined ? [] : [texts.seconds((metadata.elapsedMs / 1000).toFixed(1))]),
    formatTime(createdAt),
  ]
  return `${name} · ${facts.join(' · ')}`
}

function formatTime(time: number): string {
  return new Date(time).toISOString().slice(0, 16).replace('T', ' ')
}

function truncate(text: string, texts: ExportTexts): string {
  return text.length <= maxOutputLength
    ? text
    : `${text.slice(0, maxOutputLength)}\n${texts.moreCharacters(text.length - maxOutputLength)}`
}

function cspHash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

/** Maximum bytes of one picture, and of all pictures in a file. */
const pictureBytes = { one: 8 * 1024 * 1024, all: 64 * 1024 * 1024 }
const mediaTypes = /^image\/(png|jpeg|gif|webp|avif)$/

/** Embeds pictures with their names while there is room. Omitted ones are replaced by a note. */
export function embedPictures(
  blobs: Blobs,
  texts: ExportTexts,
  most = pictureBytes,
): (picture: PicturePiece) => Promise<string> {
  let taken = 0
  return async (picture) => {
    const { name, inline, sha256 } = picture
    const said = (text: string): string => `<p class="note">${escapeHtml(text)}</p>`
    const claimed = picture.mediaType ?? inline?.mediaType
    if (claimed !== undefined && !mediaTypes.test(claimed)) return said(texts.noPicture(name, claimed))
    const found = inline === undefined ? await blobs.get(sha256 ?? '') : undefined
    const bytes = inline === undefined ? found?.bytes : Buffer.from(inline.base64, 'base64')
    const mediaType = claimed ?? found?.mediaType ?? ''
    if (bytes === undefined) return said(texts.gone(name))
    if (!mediaTypes.test(mediaType)) return said(texts.noPicture(name, mediaType))
    const size = `${(bytes.length / 1e6).toFixed(1)} MB`
    if (bytes.length > most.one) return said(texts.tooLarge(name, size))
    if (taken + bytes.length > most.all) return said(texts.tooMany(name, size))
    taken += bytes.length
    const address = `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}`
    return `<img alt="${escapeHtml(name)}" src="${address}"><figcaption>${escapeHtml(name)}</figcaption>`
  }
}
