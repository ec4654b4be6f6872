import type { InstructionFile, InstructionsInfo, MasterPrompt } from '@troupe/protocol'
import { TriangleAlert } from 'lucide-react'
import { type ReactNode, useCallback, useState } from 'react'
import {
  ActionFailure,
  type ServerData,
  ServerDataStatus,
  TrustRow,
  useServerAction,
  useServerData,
} from '../settings/section-parts.tsx'
import { translateServerText } from '../texts/server-texts.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { LazyDiff, TextEditor } from './text-editor.tsx'

/** As in `core/src/files/agents-md.ts`. */
const longestFile = 32_000

type Scope = keyof InstructionsInfo

/** The user's instructions, those of the folder, and the prompt of the master agent. */
export function InstructionsSection() {
  const { api } = useWorkspace()
  const asked = useServerData(useCallback(() => api.instructions(), [api]))
  if (asked.value === null) return <ServerDataStatus asked={asked} />
  const { person, folder, master } = asked.value
  const language = Object.hasOwn(master.defaults, t.tag) ? t.tag : 'en'
  const change = async (scope: Scope, text: string | null, version: string) => {
    const info = await api.changeInstructions({ scope, text, version, language })
    asked.show(info)
    return info
  }
  return (
    <>
      <p className="settings-note">{t.instructions.about}</p>
      <FileInstructions
        onReload={asked.again}
        id="person"
        title={t.instructions.person}
        about={t.instructions.personAbout}
        placeholder={t.instructions.personPlaceholder}
        file={person}
        onSave={async (text, version) => (await change('person', text, version)).person}
      />
      <FileInstructions
        onReload={asked.again}
        id="folder"
        title={t.instructions.folder}
        about={t.instructions.folderAbout}
        placeholder={t.instructions.folderPlaceholder}
        file={folder}
        onSave={async (text, version) => (await change('folder', text, version)).folder}
      >
        {!folder.active && (
          <>
            {folder.text !== '' && <Warning>{t.instructions.untrusted}</Warning>}
            <TrustRow onChanged={asked.again} />
          </>
        )}
      </FileInstructions>
      <MasterInstructions
        asked={asked}
        master={master}
        language={language}
        onSave={async (text, version) => (await change('master', text, version)).master}
      />
    </>
  )
}

interface FileInstructionsProps {
  id: Scope
  title: string
  about: string
  placeholder: string
  file: InstructionFile
  onSave: (text: string, version: string) => Promise<InstructionFile>
  onReload: () => Promise<void>
  children?: ReactNode
}

function FileInstructions({ id, title, about, placeholder, file, onSave, onReload, children }: FileInstructionsProps) {
  return (
    <section className="settings-group" data-setting={id} aria-label={title}>
      <h3>{title}</h3>
      <p className="settings-note">
        {about}{' '}
        <code>
          <VisibleText text={file.path} as="name" />
        </code>
      </p>
      {file.problem === undefined ? (
        <TextEditor
          label={title}
          stored={file}
          placeholder={placeholder}
          longest={longestFile}
          onSave={onSave}
          onReload={onReload}
        />
      ) : (
        <Warning>
          <VisibleText text={translateServerText(file.problem, 'text')} />
        </Warning>
      )}
      {file.others.length > 0 && (
        <p className="settings-note">
          <VisibleText text={t.instructions.others(file.others.join(', '))} as="name" />
        </p>
      )}
      {children}
    </section>
  )
}

interface MasterInstructionsProps {
  master: MasterPrompt
  asked: ServerData<unknown>
  language: string
  onSave: (text: string | null, version: string) => Promise<MasterPrompt>
}

function MasterInstructions({ master, asked, language, onSave }: MasterInstructionsProps) {
  const { text, version, earlierDefault } = master
  const standard = master.defaults[language] ?? ''
  const [comparing, setComparing] = useState(false)
  const [asking, setAsking] = useState(false)
  const [showsNew, setShowsNew] = useState(false)
  const [restored, setRestored] = useState(0)
  const { act, failure } = useServerAction(asked)
  const shownText = (prompt: MasterPrompt) => ({ text: prompt.text ?? standard, version: prompt.version })
  const restore = async () => {
    await onSave(null, version)
    setRestored(restored + 1)
  }
  return (
    <section className="settings-group" data-setting="master" aria-label={t.instructions.master}>
      <h3>{t.instructions.master}</h3>
      <p className="settings-note">
        {t.instructions.masterAbout} {text === null ? t.instructions.masterDefault : t.instructions.masterOwn}
      </p>
      {earlierDefault !== null && (
        <>
          <Warning>{t.instructions.newDefault}</Warning>
          {showsNew && <LazyDiff before={earlierDefault} after={standard} title={t.instructions.newDefaultDiff} />}
          <div className="settings-row-buttons">
            {!showsNew && <Button onClick={() => setShowsNew(true)}>{t.instructions.showNewDefault}</Button>}
            <Button onClick={() => void act(() => onSave(text, version))}>{t.instructions.keepMine}</Button>
          </div>
        </>
      )}
      <ActionFailure failure={failure} />
      <TextEditor
        // Restoring the default also discards the draft.
        key={restored}
        label={t.instructions.master}
        stored={shownText(master)}
        onSave={async (draft, base) => shownText(await onSave(draft, base))}
        onReload={asked.again}
        buttons={(draft) => (
          <>
            {draft.trim() !== standard.trim() && (
              <Button kind="quiet" aria-expanded={comparing} onClick={() => setComparing(!comparing)}>
                {comparing ? t.instructions.hideCompare : t.instructions.compare}
              </Button>
            )}
            {text !== null && (
              <Button kind="quiet" onClick={() => setAsking(true)}>
                {t.instructions.restore}
              </Button>
            )}
          </>
        )}
      >
        {(draft) =>
          comparing &&
          draft.trim() !== standard.trim() && (
            <LazyDiff before={standard} after={draft} title={t.instructions.compared} />
          )
        }
      </TextEditor>
      {asking && (
        <ConfirmDialog
          title={t.instructions.restoreTitle}
          confirm={t.instructions.restore}
          onConfirm={() => void act(restore)}
          onClose={() => setAsking(false)}
        >
          <p>{t.instructions.restoreText}</p>
        </ConfirmDialog>
      )}
    </section>
  )
}

function Warning({ children }: { children: ReactNode }) {
  return (
    <p className="settings-warning">
      <TriangleAlert aria-hidden />
      <span>{children}</span>
    </p>
  )
}
