import { useState } from 'react'
import { ApiError, toErrorInfo } from '../api/request.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { useWorkspace } from '../workspace/workspace.ts'

/** Adds a folder as a project. A folder that does not exist is created after a second click. */
export function NewProject({ onAdded }: { onAdded: (id: string) => void }) {
  const { api } = useWorkspace()
  const [path, setPath] = useState('')
  const [name, setName] = useState('')
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<{ text: string; isMissing: boolean }>()
  const add = async (create: boolean) => {
    setBusy(true)
    setFailure(undefined)
    try {
      const body = { path: path.trim(), ...(name.trim() !== '' && { name: name.trim() }), ...(create && { create }) }
      const { project } = await api.call('POST /ai/projects', { body })
      onAdded(project.id)
    } catch (error) {
      const isMissing = error instanceof ApiError && error.name === 'BadProject'
      setFailure({ text: isMissing ? t.projects.missing : toErrorInfo(error).message, isMissing })
      setBusy(false)
    }
  }
  return (
    <form
      className="project-new"
      onSubmit={(event) => {
        event.preventDefault()
        if (path.trim() !== '') void add(false)
      }}
    >
      <h2>{t.projects.add}</h2>
      <label>
        {t.projects.folder}
        <input
          type="text"
          dir="auto"
          required
          maxLength={1000}
          spellCheck={false}
          autoComplete="off"
          placeholder={t.projects.folderPlaceholder}
          value={path}
          onChange={(event) => {
            setPath(event.target.value)
            setFailure(undefined)
          }}
        />
      </label>
      <label>
        {t.projects.name}
        <input type="text" dir="auto" maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
      </label>
      {failure !== undefined && <p role="alert">{failure.text}</p>}
      {failure?.isMissing === true ? (
        <Button kind="primary" disabled={busy} onClick={() => void add(true)}>
          {t.projects.create}
        </Button>
      ) : (
        <Button type="submit" kind="primary" disabled={busy || path.trim() === ''}>
          {t.projects.save}
        </Button>
      )}
    </form>
  )
}
