import {
  isSameOrigin,
  modelListSchema,
  NamedError,
  patchedProviderSchema,
  providerListSchema,
  providerPatchSchema,
} from '@troupe/protocol'
import { z } from 'zod'
import { type Config, type ConfigFile, dropSecrets } from '../config/config.ts'
import { answer, route, type Route } from '../http/route.ts'
import { providerSettingsSchema } from '../providers/shared/provider.ts'
import type { Models } from './models.ts'

/** Keys are write-only. */
export function providerRoutes({ models, config }: { models: Models; config: ConfigFile }): Route[] {
  const info = async (id: string | undefined): Promise<Awaited<ReturnType<Models['listProviders']>>[number]> => {
    const found = (await models.listProviders()).find((provider) => provider.id === id)
    if (found === undefined) throw new NamedError('ProviderNotFound', 'There is no such provider.', { status: 404 })
    return found
  }
  return [
    route({
      method: 'GET',
      path: '/ai/providers',
      summary: 'Providers, whether they can be used, and what is missing.',
      answers: { 200: providerListSchema },
      handle: async (c) => answer(c, providerListSchema, { providers: await models.listProviders() }),
    }),
    route({
      method: 'POST',
      path: '/ai/providers',
      summary: 'Adds a provider, or imports a list of them from a file or address of templates.',
      body: z.union([
        z.strictObject({ templates: z.string().max(4000) }),
        providerPatchSchema.extend({ id: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/i) }),
      ]),
      answers: { 201: '{provider} or {imported}', 400: 'BadRequest', 409: 'ProviderExists' },
      async handle(c, { body }) {
        if ('templates' in body) {
          const imported = await models.importTemplates(body.templates)
          await config.update((current) => ({ ...current, providers: { ...imported.providers, ...current.providers } }))
          return c.json({ imported: Object.keys(imported.providers), problems: imported.problems }, 201)
        }
        const { id, ...patch } = body
        if (known(config.get(), id) !== undefined)
          throw new NamedError('ProviderExists', `There is a provider "${id}" already.`, { status: 409 })
        await config.update((current) => patchSettings(current, id, patch))
        return c.json({ provider: await info(id) }, 201)
      },
    }),
    route({
      method: 'PATCH',
      path: '/ai/providers/:provider',
      summary:
        'Sets key, address or models of a provider, or switches it on or off; null removes a field. Key and headers stay with the server that they were given for.',
      body: providerPatchSchema,
      answers: { 200: patchedProviderSchema, 404: 'ProviderNotFound' },
      async handle(c, { params, body }) {
        const { id } = await info(params['provider'])
        let dropped: string[] = []
        await config.update((current) => {
          const next = patchSettings(current, id, body)
          const addresses = [current, next].map(({ providers = {} }) => models.addressOf(id, providers))
          if (isSameOrigin(addresses[0], addresses[1])) return next
          const settings: Record<string, unknown> = { ...known(next, id) }
          dropped = dropSecrets(settings, body, ['apiKey', 'headers'])
          return { ...next, providers: { ...next.providers, [id]: settings } }
        })
        return answer(c, patchedProviderSchema, { provider: await info(id), dropped })
      },
    }),
    route({
      method: 'POST',
      path: '/ai/providers/:provider/test',
      summary: 'Makes one small request, to see whether key and address work.',
      answers: { 200: '{test}', 404: 'ProviderNotFound' },
      async handle(c, { params }) {
        const { id } = await info(params['provider'])
        return c.json({ test: await models.testProvider(id) })
      },
    }),
    route({
      method: 'DELETE',
      path: '/ai/providers/:provider',
      summary: 'Removes what the settings say of a provider.',
      answers: { 200: '{deleted}', 404: 'ProviderNotFound' },
      async handle(c, { params }) {
        const { id } = await info(params['provider'])
        await config.update((current) => ({
          ...current,
          providers: Object.fromEntries(Object.entries(current.providers ?? {}).filter(([name]) => name !== id)),
        }))
        return c.json({ deleted: id })
      },
    }),
  ]
}

/** Keeps unknown keys, because the file belongs to the user. */
const settingsSchema = z.looseObject(providerSettingsSchema.shape)

/** Applies a patch. Throws before writing if the result is invalid. */
function patchSettings(config: Config, id: string, patch: Record<string, unknown>): Config {
  const settings: Record<string, unknown> = { ...known(config, id) }
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete settings[key]
    else if (value !== undefined) settings[key] = key === 'models' ? withDetails(value, settings[key]) : value
  }
  const checked = settingsSchema.safeParse(settings)
  if (checked.success) return { ...config, providers: { ...config.providers, [id]: checked.data } }
  const issues = checked.error.issues.map((issue) => `${issue.path.map(String).join('.')}: ${issue.message}`)
  throw new NamedError('BadRequest', `The provider is not valid. ${issues.join('; ')}.`, { data: { issues } })
}

/** Keeps the existing descriptions of models in the list. */
function withDetails(ids: unknown, before: unknown): unknown {
  const described = Array.isArray(before) ? (before as (string | { id: string })[]) : []
  return (ids as string[]).map((id) => described.find((model) => typeof model === 'object' && model.id === id) ?? id)
}

function known(config: Config, id: string): object | undefined {
  const { providers = {} } = config
  return Object.hasOwn(providers, id) ? providers[id] : undefined
}

export function modelRoutes({
  models,
  defaultModel,
}: {
  models: Models
  defaultModel: () => Promise<string | null>
}): Route[] {
  return [
    route({
      method: 'GET',
      path: '/ai/models',
      summary: 'Models that can be used now; with ?all=1 every known one.',
      query: z.object({ all: z.string().optional() }),
      answers: { 200: modelListSchema },
      handle: async (c, { query }) =>
        answer(c, modelListSchema, {
          models: await models.listModels({ all: query['all'] === '1' }),
          defaultModel: await defaultModel(),
        }),
    }),
  ]
}
