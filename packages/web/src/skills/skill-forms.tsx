import { useState } from 'react'
import { toErrorInfo } from '../api/request.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { useWorkspace } from '../workspace/workspace.ts'

const scopes = ['home', 'project'] as const
type Scope = (typeof scopes)[number]

interface NewSkillFormProps {
  /** Skills can be added to the folder only if it is trusted. */
  trusted: boolean
  onAdded: () => Promise<void>
  onCancel: () => void
}

export function NewSkillForm({ trusted, onAdded, onCancel }: NewSkillFormProps) {
  const { api } = useWorkspace()
  const [draft, setDraft] = useState({ name: '', scope: 'home' as Scope, description: '', instructions: '' })
  const [failure, setFailure] = useState('')
  const [busy, setBusy] = useState(false)
  const isReady = !busy && [draft.name, draft.description, draft.instructions].every((text) => text.trim() !== '')
  const set = (change: Partial<typeof draft>) => setDraft({ ...draft, ...change })
  const save = async () => {
    setBusy(true)
    try {
      await api.addSkill({ ...draft, name: draft.name.trim() })
      await onAdded()
    } catch (error) {
      setFailure(toErrorInfo(error).message)
      setBusy(false)
    }
  }
  return (
    <form
      className="settings-row-body settings-inline-form"
      aria-label={t.skillEditor.add}
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady) void save()
      }}
    >
      <label>
        {t.hookEditor.scope}
        <select value={draft.scope} onChange={({ target }) => set({ scope: target.value as Scope })}>
          {scopes.map((one) => (
            <option key={one} value={one} disabled={one === 'project' && !trusted}>
              {t.hookEditor.scopes[one]}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t.skillEditor.name}
        <input
          autoComplete="off"
          spellCheck={false}
          maxLength={64}
          value={draft.name}
          onChange={({ target }) => set({ name: target.value })}
        />
      </label>
      <label>
        {t.skillEditor.description}
        <textarea
          rows={2}
          dir="auto"
          maxLength={1024}
          value={draft.description}
          onChange={({ target }) => set({ description: target.value })}
        />
      </label>
      <label>
        {t.skillEditor.instructions}
        <textarea
          rows={6}
          dir="auto"
          value={draft.instructions}
          onChange={({ target }) => set({ instructions: target.value })}
        />
      </label>
      <p className="settings-failure" role="alert">
        {failure}
      </p>
      <div className="settings-row-buttons">
        <Button type="submit" kind="primary" disabled={!isReady}>
          {t.skillEditor.add}
        </Button>
        <Button kind="quiet" onClick={onCancel}>
          {t.ui.cancel}
        </Button>
      </div>
    </form>
  )
}
