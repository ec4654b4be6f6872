import type { InstructionFile, InstructionsInfo, MasterPrompt } from '@troupe/protocol'
import { TriangleAlert } from 'lucide-react'
import { type ReactNode, useCallback, useState } from 'react'
import { ServerDataStatus, TrustRow, useServerData } from '../settings/section-parts.tsx'
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
  const save = (scope: Scope) => async (text: string | null, version: string) => {
    await api.changeInstructions({ scope, text, version, language })
    await asked.again()
  }
  const props = { onReload: asked.again }
  return (
    <>
      <p className="settings-note">{t.instructions.about}</p>
      <FileInstructions
        {...props}
        id="person"
        title={t.instructions.person}
        about={t.instructions.personAbout}
        placeholder={t.instructions.personPlaceholder}
        file={person}
        onSave={save('person')}
      />
      <FileInstructions
        {...props}
        id="folder"
        title={t.instructions.folder}
        about={t.instructions.folderAbout}
        placeholder={t.instructions.folderPlaceholder}
        file={folder}
        onSave={save('folder')}
      >
        {!folder.active && (
          <>
            {folder.text !== '' && <Warning>{t.instructions.untrusted}</Warning>}
            <TrustRow onChanged={asked.again} />
          </>
        )}
      </FileInstructions>
      <MasterInstructions {...props} master={master} language={language} onSave={save('master')} />
    </>
  )
}

interface FileInstructionsProps {
  id: Scope
  title: string
  about: string
  placeholder: string
  file: InstructionFile
  onSave: (text: string, version: string) => Promise<void>
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
  language: string
  onSave: (text: string | null, version: string) => Promise<void>
  onReload: () => Promise<void>
}

function MasterInstructions({ master, language, onSave, onReload }: MasterInstructionsProps) {
  const { text, version, earlierDefault } = master
  const standard = master.defaults[language] ?? ''
  const [comparing, setComparing] = useState(false)
  const [asking, setAsking] = useState(false)
  const [showsNew, setShowsNew] = useState(false)
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
            <Button onClick={() => void onSave(text, version)}>{t.instructions.keepMine}</Button>
          </div>
        </>
      )}
      <TextEditor
        key={version}
        label={t.instructions.master}
        stored={{ text: text ?? standard, version }}
        onSave={onSave}
        onReload={onReload}
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
          onConfirm={() => void onSave(null, version)}
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
