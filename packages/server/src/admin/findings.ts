import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import type { Finding, ProviderInfo } from '@troupe/protocol'
import type { Models } from '../models/models.ts'

export function attempt<T extends object>(name: string, work: () => T): T | Finding {
  try {
    return work()
  } catch (error) {
    return { status: 'fail', name, text: (error as Error).message }
  }
}

/** "1 session", "2 sessions". */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** Returns one finding per provider. Tries only addresses the user configured, not those of built-in services. */
export async function providerFindings(models: Models, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const problems = models
    .problems()
    .map(({ path, message }): Finding => ({ status: 'fail', name: 'provider file', text: `${path}: ${message}` }))
  const providers = await models.listProviders()
  const findings = providers.map((provider) => {
    const variable = models.getProviderDefinition(provider.id)?.baseURLEnv
    return providerFinding(provider, provider.inSettings || Boolean(variable && env[variable]?.trim()))
  })
  return [...problems, ...(await Promise.all(findings))]
}

async function providerFinding(provider: ProviderInfo, setByPerson: boolean): Promise<Finding> {
  const name = `provider ${provider.id}`
  const { probe, baseURL } = provider
  if (probe !== null) {
    if (probe.found)
      return { status: 'ok', name, text: `running at ${baseURL ?? 'its address'}, ${count(probe.models, 'model')}` }
    const text = `tried ${baseURL ?? 'no address'}: ${probe.error ?? 'no answer'}`
    return setByPerson
      ? { status: 'warn', name, text, fix: 'start the server or fix its URL' }
      : { status: 'info', name, text }
  }
  if (!provider.usable) {
    const problem = provider.problem ?? 'It is not available.'
    if (!provider.enabled || !provider.inSettings) return { status: 'info', name, text: `not set up. ${problem}` }
    return { status: 'warn', name, text: 'configured, but not available', fix: problem }
  }
  const key = keyText(provider)
  if (!setByPerson || baseURL === null) return { status: 'ok', name, text: key }
  const refusal = await connectionRefusal(new URL(baseURL))
  return refusal === undefined
    ? { status: 'ok', name, text: `${key}; ${baseURL} accepts connections` }
    : { status: 'warn', name, text: `${key}; ${refusal}`, fix: 'start the server or fix its URL' }
}

function keyText({ keySource, needsKey }: ProviderInfo): string {
  if (keySource === 'settings') return 'has a key, from the settings'
  if (keySource !== null) return `has a key, from the environment (${keySource.replace('env:', '')})`
  return needsKey ? 'has no key' : 'needs no key'
}

/** Checks only that the port accepts connections. Sends no request. */
function connectionRefusal(url: URL): Promise<string | undefined> {
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port, timeout: 2000 })
  socket.once('connect', () => resolve(undefined))
  socket.once('timeout', () => resolve(`${url.host} did not respond within 2 seconds`))
  socket.once('error', (error: NodeJS.ErrnoException) =>
    resolve(
      error.code === 'ECONNREFUSED'
        ? `${url.host} refuses connections`
        : `${url.host} cannot be reached (${error.code ?? 'unknown reason'})`,
    ),
  )
  return promise.finally(() => socket.destroy())
}

export async function ruleFindings(home: string, folder: string, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const { openExplainer } = await import('../rules/explainer.ts')
  const { policy, warnings } = await openExplainer({ home, workspace: folder, env, sandbox: false })
  const text = `${count(policy.rules.lines.length, 'rule')} in ${folder}; new chats start in ${policy.mode} mode`
  const asks = policy.mode === 'bypass'
  return [
    { status: asks ? 'warn' : 'ok', name: 'rules', text },
    ...warnings.map((warning): Finding => ({ status: 'warn', name: 'rules', text: warning })),
  ]
}

/** Tries the sandbox for real. */
export async function sandboxFinding(env: NodeJS.ProcessEnv): Promise<Finding> {
  const { findSandbox } = await import('@troupe/core')
  const { sandbox, text, fix } = await findSandbox({ env })
  if (sandbox !== undefined) return { status: 'ok', name: 'sandbox', text }
  return { status: 'warn', name: 'sandbox', text, fix }
}

/** Reports how well this machine could run team mode. A single user needs none of it, so nothing here is a warning. */
export async function isolationFinding(env: NodeJS.ProcessEnv, sandbox: Finding): Promise<Finding> {
  const { checkMachine } = await import('../isolation/check-machine.ts')
  const { text, problems } = await checkMachine(env, sandbox.status === 'ok')
  if (problems.length === 0) return { status: 'ok', name: 'team isolation', text }
  return { status: 'info', name: 'team isolation', text: `team mode would not start here: ${problems.join('; ')}` }
}

/** Loads tools as at startup: the user's own, and the folder's if it is trusted. */
export async function toolFindings(home: string, workspace: string, trusted: boolean): Promise<Finding[]> {
  const { getBuiltinTools, loadTools } = await import('@troupe/core')
  const builtin = getBuiltinTools()
  const folders = { own: path.join(home, 'tools'), here: path.join(workspace, '.troupe', 'tools') }
  const loaded = loadTools(trusted ? [folders.own, folders.here] : [folders.own], builtin)
  const from = (folder: string): number => loaded.entries.filter((entry) => path.dirname(entry.path) === folder).length
  const tools: Finding = {
    status: 'ok',
    name: 'tools',
    text: `${builtin.length} built in, ${from(folders.own)} from ${folders.own}, ${from(folders.here)} from this folder`,
  }
  const problems = loaded.problems.map((problem): Finding => ({
    status: 'warn',
    name: 'tool file',
    text: `${problem.path} was not loaded: ${problem.message}`,
    fix: 'fix or remove the file',
  }))
  return [tools, ...problems, trustFinding(workspace, trusted, fileCount(folders.here))]
}

function trustFinding(workspace: string, trusted: boolean, files: number): Finding {
  const name = 'workspace'
  if (trusted) return { status: 'ok', name, text: `${workspace} is trusted; run "troupe trust --off" to undo` }
  const text = `${workspace} is not trusted`
  if (files === 0) return { status: 'info', name, text: `${text}; it has no tools of its own` }
  return {
    status: 'info',
    name,
    text: `${text}: ${count(files, 'tool file')} in its .troupe/tools ${files === 1 ? 'is' : 'are'} not loaded`,
    fix: 'read them, then run "troupe trust" in this folder',
  }
}

function fileCount(folder: string): number {
  try {
    return readdirSync(folder).filter((name) => /\.[jt]s$/.test(name) && !/\.(test|d)\.[jt]s$/.test(name)).length
  } catch {
    // The folder is missing or unreadable.
    return 0
  }
}
