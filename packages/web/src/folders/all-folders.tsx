import { Folder, FolderClock, Plus, TriangleAlert, X } from 'lucide-react'
import type { RecentFolder } from '@troupe/protocol'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Moment, VisibleText } from '../ui/elements.tsx'
import { useFolders } from '../workspace/folders.ts'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import './all-folders.css'
import { folderName } from './folder-name.ts'
import { folderHint } from './folder-switcher.tsx'

/** The newest chats of every recent folder, in place of the chat list of one. */
export function AllFolders() {
  const { folders } = useWorkspace()
  const recent = useFolders((state) => state.recent) ?? []
  return (
    <div className="all-folders" data-focus-home=".all-chat">
      <div className="list-head">
        <h2>{t.folderDialog.all}</h2>
        <IconButton label={t.folders.onlyThis} onClick={() => folders.setShowsAll(false)}>
          <X />
        </IconButton>
      </div>
      {recent.map((folder) => (
        <FolderChats key={folder.id} folder={folder} name={folderName(folder, recent)} />
      ))}
    </div>
  )
}

function FolderChats({ folder, name }: { folder: RecentFolder; name: string }) {
  const { folders } = useWorkspace()
  const current = useApp((state) => state.sessionId)
  const { sessions = [], state, path, chats } = folder
  const Icon = state === 'ok' ? Folder : state === 'slow' ? FolderClock : TriangleAlert
  const hint = folderHint(folder)
  const startChat = () => {
    folders.workspace(folder.id).app.newSession()
    folders.show(folder.id)
  }
  return (
    <section className="all-folder" aria-label={name}>
      <header>
        <Icon aria-hidden />
        <h3 title={path}>
          <VisibleText text={name} as="name" />
        </h3>
        {hint !== undefined && <span data-waiting={folder.asks > 0}>{hint}</span>}
        <IconButton label={t.folderDialog.newChat(name)} onClick={startChat}>
          <Plus />
        </IconButton>
      </header>
      {sessions.length === 0 && <p>{t.folderDialog.noChats}</p>}
      <ul>
        {sessions.map(({ id, title, updatedAt }) => (
          <li key={id}>
            <button
              type="button"
              className="all-chat"
              aria-current={id === current ? 'page' : undefined}
              onClick={() => folders.show(folder.id, id)}
            >
              <span>
                <VisibleText text={title === '' ? t.sessions.untitled : title} as="name" />
              </span>
              <small>
                <Moment time={updatedAt} />
              </small>
            </button>
          </li>
        ))}
      </ul>
      {chats > sessions.length && (
        <Button
          kind="quiet"
          onClick={() => {
            folders.show(folder.id)
            folders.setShowsAll(false)
          }}
        >
          {t.folderDialog.more(chats)}
        </Button>
      )}
    </section>
  )
}
