import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { openRpc, type Rpc, type RpcOptions } from './json-rpc.ts'
import type { LanguageServerDefinition, LaunchCommand } from './server-definition.ts'

/** An error or a warning, with 1-based positions. */
export interface Problem {
  line: number
  column: number
  severity: 'error' | 'warning'
  message: string
  code?: string
  source?: string
}

export interface CallLimit {
  ms: number
  signal?: AbortSignal | undefined
}

/** A running language server of one project. */
export interface LanguageServer {
  pid: number
  /** Problems of a file as it is on disk, or with the given text. Undefined if they are not known in time. */
  problems(file: string, call: CallLimit & { text?: string | undefined }): Promise<Problem[] | undefined>
  /** Problems found last, for whichever text the file had then. */
  lastProblems(file: string): Problem[] | undefined
  /** Sends a request about a file, which the server then has in its current state. */
  ask(file: string, method: string, params: object, call: CallLimit): Promise<unknown>
  /** Sends a request about the whole project. */
  askAll(method: string, params: object, call: CallLimit): Promise<unknown>
  /** Tells the server about files that were changed on disk. */
  noteChanges(files: readonly string[]): void
  close(): Promise<void>
}

interface Document {
  uri: string
  version: number
  text: string
  problems?: Problem[]
  /** Wakes those who wait for the server to publish the problems of the current version. */
  waiting: Set<(problems: Problem[]) => void>
}

/** Larger files are neither read nor sent. */
const maxFileBytes = 2 << 20
const maxDocuments = 64
const maxProblems = 500
const initializeMs = 20_000
/** Servers that publish problems often do so twice: syntax first. */
const settleMs = 150

/** Starts a server and waits until it is ready. Rejects with the reason if it fails. */
export async function startLanguageServer(
  definition: LanguageServerDefinition,
  options: Pick<RpcOptions, 'env' | 'warden' | 'limits' | 'onEnd' | 'signal' | 'confined'> & {
    launch: LaunchCommand
    root: string
  },
): Promise<LanguageServer> {
  const { root, launch } = options
  const rootUri = pathToFileURL(root).href
  const documents = new Map<string, Document>()
  const byUri = new Map<string, Document>()
  const rpc = await openRpc({
    ...options,
    ...launch,
    cwd: root,
    onRequest: (method, params) => answerServer(definition, method, params, rootUri),
    onNotification(method, params) {
      if (method === 'textDocument/publishDiagnostics') onPublished((params ?? {}) as Published)
    },
  })
  const capabilities = await initialize(
    rpc,
    definition,
    rootUri,
    options.confined === undefined ? process.pid : null,
  ).catch(async (error: unknown) => {
    await rpc.close()
    throw error
  })
  const pulls = capabilities['diagnosticProvider'] !== undefined

  return {
    pid: rpc.pid,
    async problems(file, { ms, signal, text }) {
      const document = await sync(file, text)
      if (pulls) {
        const params = { textDocument: { uri: document.uri } }
        const found = (await rpc.request('textDocument/diagnostic', params, { ms, signal })) as {
          items?: unknown
        } | null
        document.problems = toProblems(found?.items)
        return document.problems
      }
      return document.problems ?? published(document, { ms, signal })
    },
    lastProblems: (file) => documents.get(file)?.problems,
    async ask(file, method, params, call) {
      const { uri } = await sync(file)
      return rpc.request(method, { textDocument: { uri }, ...params }, call)
    },
    askAll: (method, params, call) => rpc.request(method, params, call),
    noteChanges(files) {
      const changes = files.map((file) => ({ uri: pathToFileURL(file).href, type: changeType(file) }))
      rpc.notify('workspace/didChangeWatchedFiles', { changes })
    },
    close: () => rpc.close(),
  }

  /** As numbered by the protocol: created, changed, deleted. */
  function changeType(file: string): 1 | 2 | 3 {
    if (!existsSync(file)) return 3
    return documents.has(file) ? 2 : 1
  }

  /** Opens the file in the server, or sends its new text. */
  async function sync(file: string, given?: string): Promise<Document> {
    const text = given ?? (await readText(file))
    let document = documents.get(file)
    if (document === undefined) {
      document = { uri: pathToFileURL(file).href, version: 1, text, waiting: new Set() }
      const languageId = definition.languages[path.extname(file)] ?? 'plaintext'
      rpc.notify('textDocument/didOpen', { textDocument: { uri: document.uri, languageId, version: 1, text } })
    } else if (document.text !== text) {
      document.version++
      document.text = text
      document.problems = undefined
      const textDocument = { uri: document.uri, version: document.version }
      rpc.notify('textDocument/didChange', { textDocument, contentChanges: [{ text }] })
    }
    // The map is in the order of use.
    documents.delete(file)
    documents.set(file, document)
    byUri.set(document.uri, document)
    for (const [oldest, { uri }] of documents) {
      if (documents.size <= maxDocuments) break
      documents.delete(oldest)
      byUri.delete(uri)
      rpc.notify('textDocument/didClose', { textDocument: { uri } })
    }
    return document
  }

  function onPublished({ uri, version, diagnostics }: Published): void {
    const document = byUri.get(uri)
    if (document === undefined || (typeof version === 'number' && version < document.version)) return
    document.problems = toProblems(diagnostics)
    for (const wake of document.waiting) wake(document.problems)
  }

  function published(document: Document, { ms, signal }: CallLimit): Promise<Problem[] | undefined> {
    return new Promise((resolve) => {
      let settle: NodeJS.Timeout | undefined
      const finish = () => {
        document.waiting.delete(wake)
        clearTimeout(timer)
        clearTimeout(settle)
        signal?.removeEventListener('abort', finish)
        resolve(document.problems)
      }
      const wake = () => {
        clearTimeout(settle)
        settle = setTimeout(finish, settleMs)
      }
      const timer = setTimeout(finish, ms)
      signal?.addEventListener('abort', finish, { once: true })
      document.waiting.add(wake)
    })
  }
}

interface Published {
  uri: string
  version?: number | null
  diagnostics?: unknown
}

async function readText(file: string): Promise<string> {
  const stats = await stat(file)
  if (!stats.isFile()) throw new Error(`"${file}" is not a file.`)
  if (stats.size > maxFileBytes) throw new Error(`"${file}" is too large for a language server.`)
  return readFile(file, 'utf8')
}

async function initialize(
  rpc: Rpc,
  definition: LanguageServerDefinition,
  rootUri: string,
  /** Null in a sandbox, where our process does not exist: a server would end itself. */
  processId: number | null,
): Promise<Record<string, unknown>> {
  const params = {
    processId,
    clientInfo: { name: 'Troupe' },
    rootUri,
    workspaceFolders: [{ uri: rootUri, name: path.basename(rootUri) }],
    initializationOptions: definition.initializationOptions,
    capabilities: {
      general: { positionEncodings: ['utf-16'] },
      textDocument: {
        synchronization: { dynamicRegistration: false },
        publishDiagnostics: { versionSupport: true, relatedInformation: false },
        diagnostic: { dynamicRegistration: false },
        hover: { contentFormat: ['markdown', 'plaintext'] },
        definition: { linkSupport: true },
        references: {},
        documentSymbol: { hierarchicalDocumentSymbolSupport: true },
      },
      workspace: { symbol: {}, workspaceFolders: true, configuration: true, didChangeWatchedFiles: {} },
    },
  }
  const answer = (await rpc.request('initialize', params, { ms: initializeMs })) as {
    capabilities?: Record<string, unknown>
  } | null
  rpc.notify('initialized', {})
  if (definition.settings !== undefined)
    rpc.notify('workspace/didChangeConfiguration', { settings: definition.settings })
  return answer?.capabilities ?? {}
}

function answerServer({ settings = {} }: LanguageServerDefinition, method: string, params: unknown, rootUri: string) {
  if (method === 'workspace/configuration') {
    const { items = [] } = (params ?? {}) as { items?: ({ section?: string } | null)[] }
    return items.map((item) => valueAt(settings, item?.section ?? ''))
  }
  if (method === 'workspace/workspaceFolders') return [{ uri: rootUri, name: path.basename(rootUri) }]
  if (method === 'workspace/applyEdit') return { applied: false }
  return null
}

/** `python.analysis` reads `settings.python.analysis`. */
function valueAt(settings: Readonly<Record<string, unknown>>, section: string): unknown {
  let value: unknown = settings
  for (const key of section === '' ? [] : section.split('.'))
    value = (value as Record<string, unknown> | null | undefined)?.[key]
  return value ?? null
}

interface Diagnostic {
  range?: { start?: { line?: unknown; character?: unknown } }
  severity?: unknown
  message?: unknown
  code?: unknown
  source?: unknown
}

function toProblems(diagnostics: unknown): Problem[] {
  if (!Array.isArray(diagnostics)) return []
  return diagnostics.slice(0, maxProblems).flatMap((given: Diagnostic | null) => {
    const { range, severity = 1, message, code, source } = given ?? {}
    if (typeof message !== 'string' || (severity !== 1 && severity !== 2)) return []
    const problem: Problem = {
      line: Number(range?.start?.line ?? 0) + 1,
      column: Number(range?.start?.character ?? 0) + 1,
      severity: severity === 1 ? 'error' : 'warning',
      message: message.slice(0, 1000),
    }
    if (typeof code === 'string' || typeof code === 'number') problem.code = String(code)
    if (typeof source === 'string') problem.source = source
    return [problem]
  })
}
