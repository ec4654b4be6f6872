import { modelParams } from '@troupe/protocol'
import { useMemo, useState } from 'react'
import { groupModels, type ModelInfo, modelName } from '../api/models.ts'
import { FamilyMark } from '../models/family-mark.tsx'
import { formatCount } from '../texts/format.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { useApp } from '../workspace/workspace.ts'

/** Per provider. */
const shownAtOnce = 200

export function ModelList() {
  const models = useApp((state) => state.models)
  const isLoaded = useApp((state) => state.modelsLoaded)
  const failure = useApp((state) => state.modelsFailure)
  const defaultModel = useApp((state) => state.defaultModel)
  const wanted = useApp(({ settingsAt }) => settingsAt.split('model-list/model-')[1])
  const [search, setSearch] = useState('')
  const [whole, setWhole] = useState<readonly string[]>([])
  const [gone, setGone] = useState(wanted)
  if (wanted !== gone) {
    // The user navigated to a model, so clear the search that may hide it.
    setGone(wanted)
    setSearch('')
  }
  const groups = useMemo(
    () =>
      groupModels(models, search).map((group) => {
        const first = group.models.slice(0, shownAtOnce)
        const isWhole = whole.includes(group.provider) || group.models.some(({ ref }) => ref === wanted)
        return { ...group, shown: isWhole ? group.models : first }
      }),
    [models, search, whole, wanted],
  )
  const shown = groups.reduce((sum, group) => sum + group.shown.length, 0)
  return (
    <>
      <p className="settings-note">{t.settings.models.about}</p>
      {failure !== null && (
        <p className="settings-failure" role="alert">
          {failure}
        </p>
      )}
      {!isLoaded && failure === null && <p className="settings-note">{t.ui.loading}</p>}
      {isLoaded && models.length === 0 && <p className="settings-none">{t.settings.models.none}</p>}
      {models.length > 0 && (
        <div className="settings-form">
          <input
            type="search"
            aria-label={t.settings.models.search}
            placeholder={t.settings.models.search}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
          <output>{t.settings.models.shown(shown, models.length)}</output>
        </div>
      )}
      {models.length > 0 && shown === 0 && <p className="settings-none">{t.settings.models.noneFits}</p>}
      {groups.map((group) => (
        <section key={group.provider} className="settings-part" aria-label={group.provider}>
          <h3>{group.provider}</h3>
          <ul className="settings-list settings-models">
            {group.shown.map((model) => (
              <ModelEntry key={model.ref} model={model} isDefault={model.ref === defaultModel} />
            ))}
          </ul>
          {group.shown.length < group.models.length && (
            <Button onClick={() => setWhole([...whole, group.provider])}>
              {t.settings.models.showAll(group.models.length)}
            </Button>
          )}
        </section>
      ))}
    </>
  )
}

function ModelEntry({ model, isDefault }: { model: ModelInfo; isDefault: boolean }) {
  const { ref, familyId, tags, contextWindow, maxOutputTokens, price } = model
  const params = modelParams(model)
  const tokens = (number: number | undefined) =>
    number === undefined ? t.settings.models.unknown : t.settings.models.tokens(formatCount(number))
  return (
    <li data-setting={`model-${ref}`} tabIndex={-1}>
      <FamilyMark family={familyId} name={modelName(model)} />
      <div>
        <p>
          <b>{modelName(model)}</b> {isDefault && <span className="badge">{t.settings.models.default}</span>}
        </p>
        <p className="settings-path">{ref}</p>
        <dl>
          <div>
            <dt>{t.settings.models.window}</dt>
            <dd>{tokens(contextWindow)}</dd>
          </div>
          {maxOutputTokens !== undefined && (
            <div>
              <dt>{t.settings.models.output}</dt>
              <dd>{tokens(maxOutputTokens)}</dd>
            </div>
          )}
          {params.length > 0 && (
            <div>
              <dt>{t.settings.models.params}</dt>
              <dd>{params.map(({ name: param, label }) => t.composer.setting[param] ?? label ?? param).join(', ')}</dd>
            </div>
          )}
          {price !== undefined && (
            <div title={t.settings.models.priceAbout}>
              <dt>{t.settings.models.price}</dt>
              <dd>
                ${price.input} / ${price.output}
              </dd>
            </div>
          )}
        </dl>
        {tags.length > 0 && (
          <p className="settings-tags">
            {tags.map((tag) => (
              <span key={tag} className="badge">
                {t.models.tags[tag] ?? tag}
              </span>
            ))}
          </p>
        )}
      </div>
    </li>
  )
}
