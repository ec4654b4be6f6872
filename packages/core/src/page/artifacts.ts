import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs'
import { appendFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { secretIn } from '@troupe/command-policy'
import { cutTitle, documentTitle, type FilePreview } from '@troupe/protocol'
import { z } from 'zod'
import { isInside } from '../files/resolve-path.ts'
import type { AgentState } from '../tool/agent-state.ts'
import type { ToolContext } from '../tool/tool.ts'
import { checkJsx, jsxProblemText, pageNotes, pageTitle } from './check-jsx.ts'

/** Previews by the ending of the file. Those of workbooks and JSX are made elsewhere. */
export const previewKinds: Readonly<Record<string, Exclude<FilePreview['kind'], 'xlsx'>>> = {
  '.html': 'html',
  '.htm': 'html',
  '.svg': 'svg',
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.csv': 'csv',
  '.tsv': 'csv',
  '.mmd': 'mermaid',
  '.mermaid': 'mermaid',
}

/** Matches files that can have a preview. */
export const previewFile = /\.(html?|svg|md|markdown|[ct]sv|mmd|mermaid|jsx)$/i

const versionSchema = z.object({
  artifact: z.string(),
  version: z.number(),
  kind: z.enum(['html', 'svg', 'markdown', 'csv', 'mermaid', 'jsx']),
  title: z.string(),
  path: z.string(),
  sha256: z.string(),
  size: z.number(),
  /** Bytes on disk. */
  stored: z.number(),
  messageId: z.string(),
  toolCallId: z.string(),
  createdAt: z.number(),
})

/** One version of a page, drawing or document that a session's tools wrote. */
export type ArtifactVersion = z.infer<typeof versionSchema>

const maxBytes = 5 * 1024 * 1024
/** Beyond this, the contents of the oldest versions are dropped. */
const quota = 256 * 1024 * 1024

/** Folder of a session's versions, next to its previews. */
export function artifactsFolder({ jsxFolder }: Pick<AgentState, 'jsxFolder'>): string {
  return path.join(path.dirname(jsxFolder), 'artifacts')
}

type FileContext = Pick<ToolContext, 'state' | 'messageId' | 'toolCallId'>

/** Keeps a version of a changed file that has a preview. Returns what the model should know about it. */
export async function previewNote(real: string, ctx: FileContext): Promise<string | undefined> {
  const kind = previewKind(real, ctx.state)
  // A patch may have removed it.
  if (kind === undefined || statSync(real, { throwIfNoEntry: false })?.isFile() !== true) return undefined
  const notes = [kind === 'jsx' ? await jsxNote(real) : undefined, await keepVersion(ctx, real)]
  const told = notes.filter((note) => note !== undefined)
  return told.length === 0 ? undefined : told.join(' ')
}

function previewKind(real: string, state: Pick<AgentState, 'jsxFolder'>): ArtifactVersion['kind'] | undefined {
  const extension = path.extname(real).toLowerCase()
  return extension === '.jsx' ? (isJsxFile(real, state) ? 'jsx' : undefined) : previewKinds[extension]
}

export function isJsxFile(real: string, { jsxFolder }: Pick<AgentState, 'jsxFolder'>): boolean {
  return isInside(real, jsxFolder) && path.extname(real) === '.jsx'
}

async function jsxNote(real: string): Promise<string> {
  const checked = await checkJsx(readFileSync(real, 'utf8'))
  if (checked.problem !== undefined) return `The preview is invalid and not shown: ${jsxProblemText(checked.problem)}`
  return ['The preview is valid and shown.', ...(await pageNotes(checked))].join(' ')
}

/**
 * Keeps a file that a tool has just written as the next version of its artifact. Files without a preview, files that
 * are too large and contents equal to the last version are not kept. Returns a note for the model if it fails.
 */
export async function keepVersion(ctx: FileContext, real: string): Promise<string | undefined> {
  const kind = previewKind(real, ctx.state)
  if (kind === undefined || !mayKeep(real, ctx.state)) return undefined
  const folder = artifactsFolder(ctx.state)
  try {
    await inTurn(folder, () => append(folder, real, kind, ctx))
    return undefined
  } catch (error) {
    return `This version could not be kept for the user: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** Only files of the workspace and previews, and none that may hold keys or passwords. */
function mayKeep(real: string, { roots, jsxFolder }: Pick<AgentState, 'roots' | 'jsxFolder'>): boolean {
  const root = [...roots, jsxFolder].find((folder) => isInside(real, folder))
  return root !== undefined && secretIn(path.relative(root, real)) === undefined
}

async function append(
  folder: string,
  real: string,
  kind: ArtifactVersion['kind'],
  { messageId, toolCallId }: Pick<ToolContext, 'messageId' | 'toolCallId'>,
): Promise<void> {
  const info = await stat(real)
  if (!info.isFile() || info.size > maxBytes) return
  const bytes = await readFile(real)
  const text = bytes.toString('utf8')
  const known = await listVersions(folder)
  const named =
    kind === 'jsx'
      ? await namePage(text, real)
      : { title: documentTitle(kind, text) ?? path.basename(real), id: fileId(real) }
  if (named === undefined) return
  // A page keeps its artifact while it is edited, whatever its title becomes.
  const artifact = known.findLast((one) => one.path === real)?.artifact ?? named.id
  const last = known.findLast((one) => one.artifact === artifact)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  if (last?.sha256 === sha256) return
  const packed = await promisify(gzip)(bytes)
  await mkdir(folder, { recursive: true })
  await writeFile(objectPath(folder, sha256), packed)
  const version: ArtifactVersion = {
    artifact,
    version: (last?.version ?? 0) + 1,
    kind,
    title: cutTitle(named.title),
    path: real,
    sha256,
    size: bytes.length,
    stored: packed.length,
    messageId,
    toolCallId,
    createdAt: Date.now(),
  }
  await appendFile(path.join(folder, 'versions.jsonl'), `${JSON.stringify(version)}\n`)
  await makeRoom(folder, [...known, version])
}

/** All versions of a session in the order they were made. Lines that cannot be read are skipped: a crash may tear one. */
export async function listVersions(folder: string): Promise<ArtifactVersion[]> {
  const file = path.join(folder, 'versions.jsonl')
  if (!existsSync(file)) return []
  const versions: ArtifactVersion[] = []
  for await (const line of createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })) {
    const read = versionSchema.safeParse(parseJson(line))
    if (read.success) versions.push(read.data)
  }
  return versions
}

/** Content of a version. Undefined if it was dropped to make room. */
export async function readVersion(
  folder: string,
  { sha256 }: Pick<ArtifactVersion, 'sha256'>,
): Promise<Buffer | undefined> {
  if (!/^[\da-f]{64}$/.test(sha256)) return undefined
  const file = objectPath(folder, sha256)
  if (!existsSync(file)) return undefined
  return promisify(gunzip)(await readFile(file), { maxOutputLength: maxBytes + 1 })
}

async function makeRoom(folder: string, versions: readonly ArtifactVersion[]): Promise<void> {
  const latest = new Map(versions.map((one) => [one.artifact, one.sha256]))
  const kept = new Set(latest.values())
  const objects = new Map(versions.map((one) => [one.sha256, one.stored]))
  let total = [...objects.values()].reduce((sum, size) => sum + size, 0)
  for (const [sha256, size] of objects) {
    if (total <= quota) return
    total -= size
    if (!kept.has(sha256)) await rm(objectPath(folder, sha256), { force: true })
  }
}

function objectPath(folder: string, sha256: string): string {
  return path.join(folder, `${sha256}.gz`)
}

const queues = new Map<string, Promise<unknown>>()

/** Agents of one session may write at the same time. */
async function inTurn(folder: string, work: () => Promise<void>): Promise<void> {
  const before = queues.get(folder) ?? Promise.resolve()
  const turn = before.then(work, work)
  queues.set(folder, turn)
  try {
    await turn
  } finally {
    if (queues.get(folder) === turn) queues.delete(folder)
  }
}

/** Undefined while the page is invalid. */
async function namePage(source: string, real: string): Promise<{ id: string; title: string } | undefined> {
  const checked = await checkJsx(source)
  if (checked.problem !== undefined) return undefined
  const title = pageTitle(source)
  const id = slug(checked.page?.id ?? title ?? '')
  return { id: `page-${id === '' ? path.basename(real, '.jsx') : id}`, title: title ?? 'Page' }
}

function fileId(real: string): string {
  return `file-${createHash('sha256').update(real).digest('hex').slice(0, 16)}`
}

/** Stable id of a title or a given id, in any script. */
function slug(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 60)
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
