import { Check, KeyRound, Play, Search, Server } from 'lucide-react'
import { useEffect, useState } from 'react'
import { isDemoModel, type ModelInfo } from '../api/models.ts'
import type { ProviderInfo } from '../api/providers.ts'
import { FamilyMark, providerFamily } from '../models/family-mark.tsx'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { useApp, useCurrentModel, useWorkspace } from '../workspace/workspace.ts'
import './first-run.css'

/** Shown before the first message if several keys or local servers were found, or none is in use: one click chooses. */
export function FirstRun() {
  const { api } = useWorkspace()
  const models = useApp((state) => state.models)
  const [providers, setProviders] = useState<ProviderInfo[] | null>(null)
  // Fail silently. A lost connection is reported elsewhere.
  useEffect(
    () =>
      void api.providers().then(
        (list) => setProviders(list.providers),
        () => undefined,
      ),
    // Reload when a provider was added, changed or removed.
    [api, models],
  )
  if (providers === null) return null
  const found = findUsableProviders(providers, models)
  return found.length === 0 ? null : <FoundModels found={found} models={models} />
}

function FoundModels({ found, models }: { found: readonly UsableProvider[]; models: readonly ModelInfo[] }) {
  const { app } = useWorkspace()
  const current = useCurrentModel()
  // The message box names the only provider already. After a choice, the others stay on offer.
  const [isChoice] = useState(found.length > 1 || isDemoModel(current))
  if (!isChoice) return null
  const demo = models.find(({ ref }) => isDemoModel(ref))
  return (
    <section className="first-run" aria-label={t.firstRun.title}>
      <h3>
        <Search aria-hidden />
        {t.firstRun.title}
      </h3>
      <ul>
        {found.map((one) => (
          <li key={one.id}>
            <button
              type="button"
              aria-pressed={current?.startsWith(`${one.id}/`) === true}
              onClick={() => void app.chooseModel(one.model.ref)}
            >
              <FamilyMark family={providerFamily(one.id)} name={one.name} />
              <span>
                <b>
                  <VisibleText text={one.name} as="name" />
                </b>
                <small>
                  {one.how.kind === 'local' ? <Server aria-hidden /> : <KeyRound aria-hidden />}
                  {describeSource(one)} · {t.models.count(one.models)}
                </small>
              </span>
              {current?.startsWith(`${one.id}/`) === true && (
                <span className="first-run-now">
                  <Check aria-hidden />
                  {t.firstRun.inUse}
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
      <div className="first-run-ways">
        {demo !== undefined && !isDemoModel(current) && (
          <Button onClick={() => void app.chooseModel(demo.ref)}>
            <Play aria-hidden />
            {t.firstRun.tryDemo}
          </Button>
        )}
        <Button kind="quiet" onClick={() => app.openSettings('models/key')}>
          <KeyRound aria-hidden />
          {t.firstRun.add}
        </Button>
      </div>
    </section>
  )
}

function describeSource({ how }: UsableProvider): string {
  if (how.kind === 'environment') return t.models.keyFromEnvironment(how.variable)
  if (how.kind === 'settings') return t.models.keyFromSettings
  return how.kind === 'local' ? t.models.foundLocally : t.models.needsNoKey
}

/** Provider that works without setup, with its suggested model. */
interface UsableProvider {
  id: string
  name: string
  how: { kind: 'environment'; variable: string } | { kind: 'settings' } | { kind: 'local' } | { kind: 'open' }
  models: number
  model: ModelInfo
}

/** Returns detected API keys and local model servers. Leaves out the demo model, which is always there. */
export function findUsableProviders(
  providers: readonly ProviderInfo[],
  models: readonly ModelInfo[],
): UsableProvider[] {
  return providers.flatMap((provider) => {
    const own = models.filter((model) => model.provider === provider.id)
    const model = own[0]
    if (!provider.usable || provider.id === 'demo' || model === undefined) return []
    return [{ id: provider.id, name: provider.name, how: providerSource(provider), models: own.length, model }]
  })
}

function providerSource({ keySource, local }: ProviderInfo): UsableProvider['how'] {
  if (local) return { kind: 'local' }
  if (keySource === null) return { kind: 'open' }
  return keySource === 'settings'
    ? { kind: 'settings' }
    : { kind: 'environment', variable: keySource.replace(/^env:/, '') }
}
