import { Plus } from 'lucide-react'
import { useCallback, useRef, useState } from 'react'
import { toErrorInfo } from '../api/request.ts'
import type { SkillInfo, StagedSkills } from '../api/settings-types.ts'
import { formatSize } from '../texts/format.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { RowActions } from '../settings/row-actions.tsx'
import {
  ActionFailure,
  ProblemList,
  ServerDataStatus,
  TrustRow,
  useServerAction,
  useServerData,
} from '../settings/section-parts.tsx'
import { StoredFileEditor } from '../instructions/stored-file-editor.tsx'
import { NewSkillForm } from './skill-forms.tsx'

export function SkillsSection() {
  const { api } = useWorkspace()
  const asked = useServerData(
    useCallback(async () => {
      const [found, { workspace }] = await Promise.all([api.skills(), api.workspace()])
      return { ...found, trusted: workspace?.trusted === true }
    }, [api]),
  )
  const [adding, setAdding] = useState(false)
  const { skills = [], problems = [], trusted = false } = asked.value ?? {}
  const { act, failure } = useServerAction(asked)
  return (
    <>
      <p className="settings-note">{t.settings.skills.about}</p>
      <ServerDataStatus asked={asked} />
      <ProblemList title={t.settings.skills.problems} problems={problems} />
      {problems
        .filter(({ path }) => path.endsWith('SKILL.md'))
        .map(({ path }) => (
          <BrokenSkill key={path} path={path} onSaved={() => void asked.again()} />
        ))}
      <ActionFailure failure={failure} />
      {asked.value !== null && skills.length === 0 && <p className="settings-none">{t.settings.skills.none}</p>}
      <ul className="settings-list" aria-label={t.settings.skills.list}>
        {skills.map((skill) => (
          <SkillRow
            key={skill.path}
            skill={skill}
            onSaved={() => void asked.again()}
            onToggle={() => act(() => api.enableSkill(skill.name, !skill.enabled))}
            onDelete={() => act(() => api.deleteSkill(skill.path))}
          />
        ))}
      </ul>
      <div className="settings-add" data-setting="new">
        {adding ? (
          <NewSkillForm
            trusted={trusted}
            onCancel={() => setAdding(false)}
            onAdded={async () => {
              setAdding(false)
              await asked.again()
            }}
          />
        ) : (
          <div className="settings-row-buttons">
            <Button onClick={() => setAdding(true)}>
              <Plus aria-hidden />
              {t.skillEditor.add}
            </Button>
          </div>
        )}
      </div>
      <SkillImport onImported={asked.again} />
      <TrustRow onChanged={asked.again} />
    </>
  )
}

function BrokenSkill({ path, onSaved }: { path: string; onSaved: () => void }) {
  const [editing, setEditing] = useState(false)
  if (!editing)
    return (
      <div className="settings-row-buttons settings-add">
        <Button aria-label={`${t.skillEditor.fix} ${path}`} onClick={() => setEditing(true)}>
          {t.skillEditor.fix}
        </Button>
      </div>
    )
  return (
    <StoredFileEditor kind="skill" path={path} onSaved={onSaved}>
      <Button kind="quiet" onClick={() => setEditing(false)}>
        {t.ui.close}
      </Button>
    </StoredFileEditor>
  )
}

interface SkillRowProps {
  skill: SkillInfo
  onSaved: () => void
  onToggle: () => Promise<void>
  onDelete: () => Promise<void>
}

function SkillRow({ skill, onSaved, onToggle, onDelete }: SkillRowProps) {
  const { name, description, path, folder, scope, allowedTools, personOnly, shadows, enabled } = skill
  const [editing, setEditing] = useState(false)
  return (
    <li data-setting={`skill-${name}`} tabIndex={-1}>
      <p>
        <b>
          <VisibleText text={name} as="name" />
        </b>{' '}
        <span className="badge">{t.settings.skills.scopes[scope]}</span>{' '}
        {personOnly === true && <span className="badge">{t.settings.skills.personOnly}</span>}
        {!enabled && <span className="badge">{t.hookEditor.off}</span>}
      </p>
      <p>
        <VisibleText text={description} />
      </p>
      {allowedTools !== undefined && (
        <p>{t.settings.skills.narrows(allowedTools.join(', ') || t.settings.skills.onlyReading)}</p>
      )}
      <p className="settings-path">
        <VisibleText text={path} as="name" />
      </p>
      {shadows.map((other) => (
        <p key={other} className="settings-path">
          {t.settings.skills.shadows} <VisibleText text={other} as="name" />
        </p>
      ))}
      {editing ? (
        <StoredFileEditor kind="skill" path={path} onSaved={onSaved}>
          <Button kind="quiet" onClick={() => setEditing(false)}>
            {t.ui.close}
          </Button>
        </StoredFileEditor>
      ) : (
        <RowActions
          name={name}
          enabled={enabled}
          onEdit={() => setEditing(true)}
          onToggle={onToggle}
          onDelete={onDelete}
          deleteTitle={t.skillEditor.deleteTitle}
        >
          <p>{t.skillEditor.deleteText}</p>
          <p>
            <code>
              <VisibleText text={folder} as="name" />
            </code>
          </p>
        </RowActions>
      )}
    </li>
  )
}

/** Imports skills. Shows their full contents before any of it takes effect. */
function SkillImport({ onImported }: { onImported: () => Promise<void> }) {
  const { api } = useWorkspace()
  const [path, setPath] = useState('')
  const [staged, setStaged] = useState<StagedSkills | null>(null)
  const [busy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<{ ok: boolean; text: string } | null>(null)
  const file = useRef<HTMLInputElement>(null)

  const act = async (work: () => Promise<string>) => {
    setBusy(true)
    setOutcome(null)
    try {
      setOutcome({ ok: true, text: await work() })
    } catch (error) {
      setOutcome({ ok: false, text: toErrorInfo(error).message })
    } finally {
      setBusy(false)
    }
  }
  const look = (source: () => Promise<{ path: string } | { blob: string }>) =>
    act(async () => {
      if (staged !== null) await api.dropSkills(staged.id)
      setStaged(null)
      const { import: found } = await api.stageSkills(await source())
      setStaged(found)
      return t.settings.skills.found(found.skills.length)
    })
  const upload = (archive: File) =>
    look(async () => {
      const { url } = await api.addBlob(archive.type === '' ? new Blob([archive], { type: unknownType }) : archive)
      return { blob: url.slice(url.lastIndexOf('/') + 1) }
    })
  const accept = ({ id, skills }: StagedSkills) =>
    act(async () => {
      await api.acceptSkills(id)
      setStaged(null)
      setPath('')
      await onImported()
      return t.settings.skills.imported(skills.map(({ name }) => name).join(', '))
    })
  const drop = ({ id }: StagedSkills) =>
    act(async () => {
      await api.dropSkills(id)
      setStaged(null)
      return ''
    })

  return (
    <section className="settings-part" data-setting="import" aria-label={t.settings.skills.import}>
      <h3>{t.settings.skills.import}</h3>
      <p className="settings-note">{t.settings.skills.importAbout}</p>
      <form
        className="settings-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (path.trim() !== '' && !busy) void look(() => Promise.resolve({ path: path.trim() }))
        }}
      >
        <input
          aria-label={t.settings.skills.path}
          placeholder={t.settings.skills.path}
          autoComplete="off"
          spellCheck={false}
          value={path}
          onChange={(event) => setPath(event.target.value)}
        />
        <Button type="submit" disabled={busy || path.trim() === ''}>
          {t.settings.skills.look}
        </Button>
        <Button disabled={busy} onClick={() => file.current?.click()}>
          {t.settings.skills.upload}
        </Button>
        <input
          ref={file}
          type="file"
          hidden
          accept=".zip,.tar,.tgz,.gz,.skill"
          onChange={(event) => {
            const archive = event.target.files?.[0]
            event.target.value = ''
            if (archive !== undefined) void upload(archive)
          }}
        />
      </form>
      <output className={outcome?.ok === false ? 'settings-failure' : 'settings-outcome'}>
        {busy ? t.ui.oneMoment : outcome?.text}
      </output>
      {staged !== null && (
        <>
          <ProblemList title={t.settings.skills.problems} problems={staged.problems} />
          <ul className="settings-list">
            {staged.skills.map(({ name, description, allowedTools, files }) => (
              <li key={name}>
                <p>
                  <b>
                    <VisibleText text={name} as="name" />
                  </b>
                </p>
                <p>
                  <VisibleText text={description} />
                </p>
                {allowedTools !== undefined && (
                  <p>{t.settings.skills.narrows(allowedTools.join(', ') || t.settings.skills.onlyReading)}</p>
                )}
                <ul>
                  {files.map((one) => (
                    <li key={one.name}>
                      <code>
                        <VisibleText text={one.name} as="exact" />
                      </code>{' '}
                      {formatSize(one.size)}
                      {one.executable && <span className="badge">{t.settings.skills.executable}</span>}
                    </li>
                  ))}
                </ul>
              </li>
            ))}
          </ul>
          <div className="settings-buttons">
            <Button disabled={busy} onClick={() => void drop(staged)}>
              {t.ui.cancel}
            </Button>
            <Button kind="primary" disabled={busy || staged.skills.length === 0} onClick={() => void accept(staged)}>
              {t.settings.skills.accept(staged.skills.length)}
            </Button>
          </div>
        </>
      )}
    </section>
  )
}

const unknownType = 'application/octet-stream'
