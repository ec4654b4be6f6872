import { modes } from '@troupe/core'
import { configEndpoints, type ConfigInfo, type ConfigPatch, isSameOrigin, NamedError } from '@troupe/protocol'
import { type Config, type ConfigFile, dropSecrets } from '../config/config.ts'
import { implement, type Route } from '../http/route.ts'
import type { Models } from '../models/models.ts'
import type { Permissions } from '../permission/permissions.ts'

interface ConfigRoutesOptions {
  config: ConfigFile
  /** `TROUPE_MODEL` overrides the model in the settings. */
  env: NodeJS.ProcessEnv
  models: Pick<Models, 'resolveChatModel'>
  permissions: Pick<Permissions, 'checkMode'>
}

/** Routes for the settings in `config.json`, except providers, rules, hooks and MCP servers. */
export function configRoutes(options: ConfigRoutesOptions): Route[] {
  const { config } = options
  return implement(configEndpoints, {
    'GET /ai/config': () => ({ path: config.path, config: shown() }),
    'PATCH /ai/config': async ({ body }) => {
      if (typeof body.model === 'string') await options.models.resolveChatModel(body.model)
      if (typeof body.mode === 'string') options.permissions.checkMode(body.mode)
      let dropped: string[] = []
      await config.update((current) => {
        const next = applyPatch(current, body)
        dropped = dropKey(current, next, body)
        return next
      })
      return { path: config.path, config: shown(), dropped }
    },
  })

  function shown(): ConfigInfo {
    const { model, permissions, useTools, recovery, titles, describeImages, limits, budget, media, browser, search } =
      config.get()
    return {
      model: model ?? null,
      environmentModel: options.env['TROUPE_MODEL'] || null,
      mode: modes.find((mode) => mode === permissions?.mode) ?? null,
      useTools: useTools ?? null,
      recovery: recovery ?? 'continue',
      titles: titles ?? 'model',
      describeImages: describeImages ?? 'ask',
      limits: { steps: limits?.steps ?? null, tokens: limits?.tokens ?? null, seconds: limits?.seconds ?? null },
      budget: { day: budget?.day ?? null, month: budget?.month ?? null },
      media: {
        image: media?.image ?? null,
        video: media?.video ?? null,
        transcription: media?.transcription ?? null,
        vision: media?.vision ?? null,
        speech: media?.speech ?? null,
        voice: media?.voice ?? null,
      },
      browser: { path: browser?.path ?? null, allow: browser?.allow ?? null },
      search:
        search === undefined
          ? null
          : { provider: search.provider, baseURL: search.baseURL ?? null, hasKey: Boolean(search.apiKey) },
    }
  }
}

/** Merges one level deep: omitted fields of limits, budget, media, browser and search stay unchanged. */
function applyPatch(config: Config, { mode, ...patch }: ConfigPatch): Config {
  const next = mergeSection(config, patch)
  if (mode !== undefined) next['permissions'] = mergeSection(config.permissions, { mode })
  const { limits: limited, budget: budgeted, media: made, browser: browsing, search: searched } = patch
  if (limited) next['limits'] = mergeSection(config.limits, limited)
  if (budgeted) next['budget'] = mergeSection(config.budget, budgeted)
  if (made) next['media'] = mergeSection(config.media, made)
  if (browsing) next['browser'] = mergeSection(config.browser, browsing)
  if (searched) {
    // Settings of one search provider do not apply to another.
    const moved = searched.provider !== undefined && searched.provider !== config.search?.provider
    const search = mergeSection(moved ? { apiKey: config.search?.apiKey } : config.search, searched)
    next['search'] = search
    if (search['provider'] === undefined)
      throw new NamedError('BadRequest', 'Web search needs a provider: searxng, brave or tavily.')
  }
  return next as Config
}

/** Removes the search API key if a different provider or server would receive it. Returns the dropped keys. */
function dropKey({ search: before }: Config, { search: after }: Config, { search: change }: ConfigPatch): string[] {
  if (!after || !change) return []
  const isSame = before?.provider === after.provider && isSameOrigin(before.baseURL, after.baseURL)
  return isSame ? [] : dropSecrets(after, change, ['apiKey'])
}

function mergeSection(before: object | undefined, patch: object): Record<string, unknown> {
  const next: Record<string, unknown> = { ...before }
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete next[key]
    else if (value !== undefined) next[key] = value
  }
  return next
}
