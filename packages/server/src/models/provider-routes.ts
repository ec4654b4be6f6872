import { isSameOrigin, modelEndpoints, NamedError, providerEndpoints, type ProviderInfo } from '@troupe/protocol'
import { z } from 'zod'
import { type Config, type ConfigFile, dropSecrets } from '../config/config.ts'
import { implement, type Route } from '../http/route.ts'
import { providerSettingsSchema } from '../providers/shared/provider.ts'
import type { Models } from './models.ts'

/** Keys are write-only. */
export function providerRoutes({ models, config }: { models: Models; config: ConfigFile }): Route[] {
  return implement(providerEndpoints, {
    'GET /ai/providers': async () => ({ providers: await models.listProviders() }),
    'POST /ai/providers': async ({ body }) => {
      if ('templates' in body) {
        const { providers, problems } = await models.importTemplates(body.templates)
        await config.update((current) => ({ ...current, providers: { ...providers, ...current.providers } }))
        return { imported: Object.keys(providers), problems }
      }
      const { id, ...patch } = body
      if (known(config.get(), id) !== undefined)
        throw new NamedError('ProviderExists', `A provider named "${id}" already exists.`, { status: 409 })
      await config.update((current) => patchSettings(current, id, patch))
      return { provider: await find(id) }
    },
    'PATCH /ai/providers/:provider': async ({ params, body }) => {
      const { id } = await find(params.provider)
      let dropped: string[] = []
      await config.update((current) => {
        const next = patchSettings(current, id, body)
        const addresses = [current, next].map(({ providers = {} }) => models.addressOf(id, providers))
        if (isSameOrigin(addresses[0], addresses[1])) return next
        const settings: Record<string, unknown> = { ...known(next, id) }
        dropped = dropSecrets(settings, body, ['apiKey', 'headers'])
        return { ...next, providers: { ...next.providers, [id]: settings } }
      })
      return { provider: await find(id), dropped }
    },
    'POST /ai/providers/:provider/test': async ({ params }) => {
      const { id } = await find(params.provider)
      return { test: await models.testProvider(id) }
    },
    'POST /ai/providers/:provider/try-key': async ({ params, body }) => {
      const { id } = await find(params.provider)
      return { test: await models.tryKey(id, body) }
    },
    'DELETE /ai/providers/:provider': async ({ params }) => {
      const { id } = await find(params.provider)
      await config.update((current) => ({
        ...current,
        providers: Object.fromEntries(Object.entries(current.providers ?? {}).filter(([name]) => name !== id)),
      }))
      return { deleted: id }
    },
  })

  async function find(id: string): Promise<ProviderInfo> {
    const found = (await models.listProviders()).find((provider) => provider.id === id)
    if (found === undefined) throw new NamedError('ProviderNotFound', 'This provider does not exist.', { status: 404 })
    return found
  }
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
  throw new NamedError('BadRequest', `The provider is invalid. ${issues.join('; ')}.`, { data: { issues } })
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
  folderModel,
}: {
  models: Models
  /** The usable default model of a folder, if it names one. */
  folderModel(at: { workspaceId: string }): Promise<string | undefined>
}): Route[] {
  const defaultModel = async (workspaceId: string): Promise<string | null> =>
    models.resolveChatModel(await folderModel({ workspaceId })).then(
      ({ id }) => id,
      () => null,
    )
  return implement(modelEndpoints, {
    'GET /ai/models': async ({ query, workspaceId }) => ({
      models: await models.listModels({ all: query.all === '1', also: query.also?.split(/\s+/).slice(0, 100) }),
      defaultModel: await defaultModel(workspaceId),
      openProviders: await models.listOpenProviders(),
    }),
  })
}
