import { connect } from 'node:net'
import type { Models, ProviderInfo } from '../models.ts'
import { count } from './count.ts'
import type { Finding } from './finding.ts'

/** One line per provider. Addresses that the person set are tried; those of services that come with Troupe are not. */
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
      return { status: 'ok', name, text: `answers at ${baseURL ?? 'its address'}, ${count(probe.models, 'model')}` }
    const text = `tried ${baseURL ?? 'no address'}: ${probe.error ?? 'no answer'}`
    return setByPerson
      ? { status: 'warn', name, text, fix: 'start that server, or correct its address' }
      : { status: 'info', name, text }
  }
  if (!provider.usable) {
    const problem = provider.problem ?? 'It cannot be used.'
    if (!provider.enabled || !provider.inSettings) return { status: 'info', name, text: `not set up. ${problem}` }
    return { status: 'warn', name, text: 'in the settings, but not usable', fix: problem }
  }
  const key = keyText(provider)
  if (!setByPerson || baseURL === null) return { status: 'ok', name, text: key }
  const refusal = await connectionRefusal(new URL(baseURL))
  return refusal === undefined
    ? { status: 'ok', name, text: `${key}; ${baseURL} accepts connections` }
    : { status: 'warn', name, text: `${key}; ${refusal}`, fix: 'start that server, or correct its address' }
}

function keyText({ keySource, needsKey }: ProviderInfo): string {
  if (keySource === 'settings') return 'has a key, from the settings'
  if (keySource !== null) return `has a key, from the environment (${keySource.replace('env:', '')})`
  return needsKey ? 'has no key' : 'needs no key'
}

/** Only whether something listens there: no request is sent. */
function connectionRefusal(url: URL): Promise<string | undefined> {
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port, timeout: 2000 })
  socket.once('connect', () => resolve(undefined))
  socket.once('timeout', () => resolve(`${url.host} does not answer within 2 seconds`))
  socket.once('error', (error: NodeJS.ErrnoException) =>
    resolve(
      error.code === 'ECONNREFUSED'
        ? `${url.host} refuses connections`
        : `${url.host} cannot be reached (${error.code ?? 'unknown reason'})`,
    ),
  )
  return promise.finally(() => socket.destroy())
}
