import { execFile } from 'node:child_process'
import { existsSync, readdirSync, statfsSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findLibreOffice } from '@troupe/core'
import type { Finding } from '@troupe/protocol'
import { chromiumNames, findChromium, findProgram } from '../browser/find-chromium.ts'
import type { ConfigFile } from '../config/config.ts'
import { findOwner, type Home, openHome } from '../config/home.ts'
import { foundServers } from '../lsp/server-definition.ts'
import type { Models } from '../models/models.ts'
import type { DatabaseState } from '../stores/database-state.ts'
import { attempt, isolationFinding, providerFindings, ruleFindings, sandboxFinding, toolFindings } from './findings.ts'

export type { Finding } from '@troupe/protocol'

export interface DiagnoseOptions {
  env: NodeJS.ProcessEnv
  cwd: string
  /** Default: the home from the environment. */
  home?: string
  /** Check the whole database, which is slow if it is large. */
  full?: boolean
}

/**
 * Diagnoses this machine. Read-only, except that opening the home creates it and makes files with secrets private.
 * Never throws: errors become findings.
 */
export async function* diagnose({ env, cwd, home: named, full = false }: DiagnoseOptions): AsyncGenerator<Finding> {
  yield nodeFinding()
  yield programFinding('npm', ['npm'], env, 'only needed for setup; it comes with Node')
  const home = attempt('home', () => openHome({ env, path: named }))
  if ('status' in home) yield home
  else {
    yield* homeFindings(home)
    const database = await databaseState(home, full)
    yield 'status' in database ? database : databaseFinding(home, database)
    yield* storageFindings(home)
    yield await ownerFinding(home)
    yield* await modelFindings(home, env)
    const trusted = 'trusts' in database && database.trusts(cwd)
    yield* await toolFindings(home.path, cwd, trusted).catch((error: unknown): Finding[] => [
      { status: 'fail', name: 'tools', text: (error as Error).message },
    ])
    yield* await ruleFindings(home.path, cwd, env).catch((error: unknown): Finding[] => [
      { status: 'fail', name: 'rules', text: (error as Error).message, fix: 'fix or remove the file' },
    ])
    yield diskFinding(home)
  }
  yield pageFinding()
  yield await chromiumFinding(env, 'status' in home ? undefined : home)
  yield libreOfficeFinding(env)
  yield ripgrepFinding(env)
  yield languageServersFinding(cwd, env)
  yield recognitionFinding(env)
  yield await queryFinding('status' in home ? undefined : home)
  const sandbox = await sandboxFinding(env)
  yield sandbox
  yield await isolationFinding(env, sandbox)
}

function nodeFinding(): Finding {
  const text = `${process.versions.node} at ${process.execPath}`
  if (Number(process.versions.node.split('.')[0]) >= 24) return { status: 'ok', name: 'Node', text }
  return { status: 'fail', name: 'Node', text, fix: 'Node 24 or newer is needed: run "npm run setup" in the checkout' }
}

function languageServersFinding(cwd: string, env: NodeJS.ProcessEnv): Finding {
  const found = foundServers(cwd, env)
  const name = 'language servers'
  if (found.length > 0) return { status: 'ok', name, text: found.join(', ') }
  return { status: 'info', name, text: 'none found; with one, agents learn at once which errors an edit causes' }
}

function recognitionFinding(env: NodeJS.ProcessEnv): Finding {
  const name = 'text recognition'
  const file = findProgram(['tesseract'], env)
  if (file !== undefined) return { status: 'ok', name, text: file }
  return { status: 'info', name, text: 'none found; install "tesseract-ocr" to read scanned documents' }
}

async function queryFinding(home: Home | undefined): Promise<Finding> {
  const name = 'queries'
  const { openConfig } = await import('../config/config.ts')
  const config = home && attempt('config', () => openConfig(home))
  const connections = config && 'get' in config ? Object.entries(config.get().connections ?? {}) : []
  const problem = await duckdbProblem()
  if (problem !== undefined) {
    const text = `DuckDB cannot be loaded, so files cannot be queried (${problem})`
    return { status: 'warn', name, text, fix: 'run "npm run setup" in the checkout' }
  }
  const list = connections.map(([id, { type }]) => `${id} (${type})`).join(', ')
  return { status: 'ok', name, text: list === '' ? 'files and your own data' : `files, your own data, ${list}` }
}

/** Loads DuckDB in a separate process: its library would stop the event loop and stay in memory. */
async function duckdbProblem(): Promise<string | undefined> {
  try {
    const library = import.meta.resolve('@duckdb/node-api')
    await promisify(execFile)(process.execPath, ['--import', library, '--eval', ''], { env: {}, timeout: 20_000 })
    return undefined
  } catch (error) {
    const { message, stderr = '' } = error as Error & { stderr?: string }
    return /^\w*Error.*$/m.exec(stderr)?.[0] ?? message
  }
}

function programFinding(name: string, programs: string[], env: NodeJS.ProcessEnv, fix: string): Finding {
  const file = findProgram(programs, env)
  if (file !== undefined) return { status: 'ok', name, text: file }
  return { status: 'warn', name, text: `not on PATH (looked for ${programs.join(', ')})`, fix }
}

async function chromiumFinding(env: NodeJS.ProcessEnv, home: Home | undefined): Promise<Finding> {
  const { openConfig } = await import('../config/config.ts')
  // An unreadable config file has its own finding.
  const config = home && attempt('config', () => openConfig(home))
  const file = findChromium(env, config && 'get' in config ? config.get().browser?.path : undefined)
  if (file !== undefined) return { status: 'ok', name: 'Chromium', text: file }
  const text = `none found (looked for ${chromiumNames.join(', ')})`
  const fix = 'install Chromium or set CHROMIUM_PATH; the agent browser and the browser tests need it'
  return { status: 'warn', name: 'Chromium', text, fix }
}

function libreOfficeFinding(env: NodeJS.ProcessEnv): Finding {
  const name = 'LibreOffice'
  const file = findLibreOffice(env)
  if (file !== undefined) return { status: 'ok', name, text: file }
  return { status: 'info', name, text: 'none found; with it, agents convert, render and recalculate office files' }
}

function ripgrepFinding(env: NodeJS.ProcessEnv): Finding {
  const name = `ripgrep-${process.platform}-${process.arch}`
  const own = fileURLToPath(new URL(`../../../../node_modules/@vscode/${name}/bin/rg`, import.meta.url))
  if (existsSync(own)) return { status: 'ok', name: 'ripgrep', text: own }
  return programFinding('ripgrep', ['rg'], env, 'install ripgrep to search files')
}

function* homeFindings(home: Home): Generator<Finding> {
  yield { status: 'ok', name: 'home', text: home.path }
  for (const text of home.warnings) yield { status: 'warn', name: 'home', text }
}

async function databaseState(home: Home, full: boolean): Promise<DatabaseState | Finding> {
  try {
    const { examineDatabase } = await import('../stores/database-state.ts')
    return await examineDatabase(home.path, full)
  } catch (error) {
    return { status: 'fail', name: 'database', text: (error as Error).message }
  }
}

function databaseFinding(home: Home, { exists, whole, damage, newer }: DatabaseState): Finding {
  const name = 'database'
  if (!exists) return { status: 'ok', name, text: 'none yet; created on first start' }
  const file = path.join(home.path, 'troupe.db')
  if (newer !== undefined)
    return { status: 'fail', name, text: newer.message, fix: 'start the newer version of Troupe' }
  if (damage === undefined) {
    const result = whole
      ? 'no damage found'
      : 'no damage found in the parts checked; run "troupe doctor --full" to check all of it'
    return { status: 'ok', name, text: `${file}, ${(databaseBytes(file) / 1e6).toFixed(1)} MB, ${result}` }
  }
  return { status: 'fail', name, text: `${file} is damaged or not a database`, fix: String(damage.data['fix']) }
}

/** Includes the WAL, like the data page. */
function databaseBytes(file: string): number {
  const parts = ['', '-wal', '-shm'].map((suffix) => statSync(`${file}${suffix}`, { throwIfNoEntry: false })?.size ?? 0)
  return parts.reduce((sum, bytes) => sum + bytes, 0)
}

/** Reports copies made when the exported files were newer than the database. */
function* storageFindings(home: Home): Generator<Finding> {
  const folder = path.join(home.path, 'kept')
  const copies = existsSync(folder) ? readdirSync(folder) : []
  if (copies.length === 0) return
  const text = `${folder} contains files that were newer than the database (${copies.toSorted().join(', ')})`
  yield {
    status: 'warn',
    name: 'kept files',
    text,
    fix: 'check your chats; if nothing is missing, delete the folder',
  }
}

async function ownerFinding(home: Home): Promise<Finding> {
  const owner = findOwner(home)
  if (owner === undefined) return { status: 'ok', name: 'owner', text: 'no other Troupe is using this data folder' }
  const who = `pid ${owner.pid}, since ${new Date(owner.startedAt).toISOString()}`
  if (owner.url === null) return { status: 'ok', name: 'owner', text: `${who}, without a port` }
  try {
    const { ok } = await fetch(`${owner.url}/health`, { signal: AbortSignal.timeout(2000) })
    if (ok) return { status: 'ok', name: 'owner', text: `${who}, running at ${owner.url}` }
  } catch {
    // Reported below.
  }
  return {
    status: 'fail',
    name: 'owner',
    text: `${who}, not responding at ${owner.url}`,
    fix: `stop it: kill ${owner.pid}`,
  }
}

async function modelFindings(home: Home, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const [{ openConfig }, { createModels }] = await Promise.all([
    import('../config/config.ts'),
    import('../models/models.ts'),
  ])
  const config = attempt('config', () => openConfig(home))
  if ('status' in config) return [{ ...config, fix: 'fix or remove the file' }]
  const models = createModels({
    env,
    settings: () => config.get().providers ?? {},
    defaultModel: () => env['TROUPE_MODEL'] || config.get().model,
  })
  return [...configFindings(config), ...(await providerFindings(models, env)), await defaultModelFinding(models)]
}

function configFindings(config: ConfigFile): Finding[] {
  const text = existsSync(config.path) ? config.path : `${config.path} (not created yet)`
  const warnings = config.warnings().map((warning): Finding => ({
    status: 'warn',
    name: 'config',
    text: warning,
    fix: warning.endsWith('is not a known setting.') ? 'fix the spelling or remove it' : undefined,
  }))
  return [{ status: 'ok', name: 'config', text }, ...warnings, ...exposureFindings(config.path)]
}

/** A file with keys was made private when it was opened. */
function exposureFindings(file: string): Finding[] {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0
  if (process.platform === 'win32' || (mode & 0o077) === 0) return []
  const text = `other users on this machine can read ${file}, including any keys in it`
  return [{ status: 'warn', name: 'config', text, fix: `chmod 600 "${file}"` }]
}

async function defaultModelFinding(models: Models): Promise<Finding> {
  try {
    const { id } = await models.resolveChatModel()
    if (!id.startsWith('demo/')) return { status: 'ok', name: 'model', text: id }
    return {
      status: 'warn',
      name: 'model',
      text: `${id}, a script, not an AI`,
      fix: 'add an API key, or start a local model server',
    }
  } catch (error) {
    return { status: 'fail', name: 'model', text: (error as Error).message }
  }
}

function diskFinding(home: Home): Finding {
  const { bavail, bsize } = statfsSync(home.path)
  const free = bavail * bsize
  const text = `${(free / 1e9).toFixed(1)} GB free at ${home.path}`
  const fix = 'free some space: messages that cannot be saved are not answered'
  if (free < 50e6) return { status: 'fail', name: 'disk', text, fix }
  return free < 500e6 ? { status: 'warn', name: 'disk', text, fix } : { status: 'ok', name: 'disk', text }
}

function pageFinding(): Finding {
  const file = fileURLToPath(new URL('../../../web/dist/index.html', import.meta.url))
  if (existsSync(file)) return { status: 'ok', name: 'page', text: file }
  return { status: 'warn', name: 'page', text: 'not built yet', fix: 'run "npm run setup" in the checkout' }
}
