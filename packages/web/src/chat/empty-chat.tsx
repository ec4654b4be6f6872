import {
  Bot,
  ChartColumn,
  FileText,
  FlaskConical,
  FolderOpen,
  GitCompare,
  Globe,
  ListTodo,
  type LucideIcon,
  MessageSquare,
  PenLine,
  Sparkles,
  SquareTerminal,
} from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { isDemoModel } from '../api/models.ts'
import { useBlocked } from '../composer/use-blocked.tsx'
import { modelExamples, suggestForFolder, type Suggestion, type SuggestionIcon } from '../first-run/suggestions.ts'
import { useMay, useReadOnly } from '../state/team.tsx'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { Logo, Moment, VisibleText } from '../ui/elements.tsx'
import { useApp, useCurrentModel, useWorkspace } from '../workspace/workspace.ts'
import './empty-chat.css'
import { useSession, useSessionStore } from './session/session-context.ts'

/** Above the composer of a new chat: the promise. */
export function EmptyChat() {
  return (
    <div className="empty-top">
      <Logo />
      <h2>{t.emptyChat.title}</h2>
      <p>{t.emptyChat.promise}</p>
    </div>
  )
}

/** Shown only before the user's first message. The screen works without it. */
const FirstRun = lazy(() =>
  import('../first-run/first-run.tsx').then(
    (loaded) => ({ default: loaded.FirstRun }),
    () => ({ default: () => null }),
  ),
)

const RecentFolders = lazy(() =>
  import('../folders/recent-folders.tsx').then(
    (loaded) => ({ default: loaded.RecentFolders }),
    () => ({ default: () => null }),
  ),
)

const recentChats = 3

/** Below the composer of a new chat: what to try, how to connect a model, and recent chats. */
export function EmptyChatMore() {
  const isEmpty = useSession(
    (state) => state.messages.length === 0 && state.run === null && state.failure === null && state.phase !== 'loading',
  )
  return isEmpty ? <More /> : null
}

function More() {
  const { app } = useWorkspace()
  const sessionId = useApp((state) => state.sessionId)
  const isReadOnly = useReadOnly(sessionId) !== undefined
  const mayManage = useMay('manage')
  const current = useCurrentModel()
  const loaded = useApp((state) => state.modelsLoaded)
  const isFirst = useApp((state) => (state.sessions.length === 0 || state.isFirstVisit) && state.modelsLoaded)
  return (
    <div className="empty-more">
      {!isReadOnly && <Suggestions />}
      {isFirst && mayManage && (
        <Suspense fallback={null}>
          <FirstRun />
        </Suspense>
      )}
      {loaded && isDemoModel(current) && !isReadOnly && (
        <p className="empty-demo">
          <span>{t.emptyChat.demo}</span>
          <Button kind={mayManage ? 'primary' : 'plain'} onClick={() => app.openSettings('models/key')}>
            {t.emptyChat.addModel}
          </Button>
        </p>
      )}
      <RecentChats />
      <Suspense fallback={null}>
        <RecentFolders />
      </Suspense>
    </div>
  )
}

function Suggestions() {
  const { send } = useSessionStore()
  const current = useCurrentModel()
  const model = useApp((state) => state.models.find(({ ref }) => ref === current))
  const blocked = useBlocked() !== null
  const own = modelExamples(model, t.tag)
  const fitting = useFolderSuggestions(model !== undefined && own.length === 0)
  const shown = own.length > 0 ? own : fitting
  if (shown === null) return <div className="examples-loading" />
  return (
    <ul className="examples" aria-label={t.emptyChat.examples}>
      {shown.map(({ text, detail, icon }) => {
        const Icon = icons[icon] ?? Sparkles
        return (
          <li key={text}>
            <button type="button" className="example" disabled={blocked} onClick={() => void send(text)}>
              <Icon aria-hidden />
              <b>
                <VisibleText text={text} as="name" />
              </b>
              {detail !== '' && <span>{detail}</span>}
            </button>
          </li>
        )
      })}
    </ul>
  )
}

const icons: Record<SuggestionIcon, LucideIcon> = {
  folder: FolderOpen,
  command: SquareTerminal,
  agents: Bot,
  chart: ChartColumn,
  test: FlaskConical,
  review: GitCompare,
  document: FileText,
  plan: ListTodo,
  web: Globe,
  write: PenLine,
}

/** Entries read to tell the kind of folder. */
const readEntries = 100

/** Null until the folder is read. */
function useFolderSuggestions(isNeeded: boolean): Suggestion[] | null {
  const { api } = useWorkspace()
  const [names, setNames] = useState<string[] | null>(null)
  useEffect(() => {
    if (!isNeeded) return undefined
    const asking = new AbortController()
    api.complete('@', asking.signal, readEntries).then(
      ({ items }) =>
        setNames(items.filter(({ kind }) => kind === 'file' || kind === 'folder').map(({ label }) => label)),
      // General suggestions need no folder.
      () => asking.signal.aborted || setNames([]),
    )
    return () => asking.abort()
  }, [api, isNeeded])
  return isNeeded && names !== null ? suggestForFolder(names) : null
}

/** The last chats. With the demo model they are shown only on narrow screens, where the list of chats is closed. */
function RecentChats() {
  const { app } = useWorkspace()
  const isReal = !isDemoModel(useCurrentModel())
  const sessions = useApp((state) => state.sessions)
  const recent = sessions.filter(({ title }) => title !== '').slice(0, recentChats)
  if (recent.length === 0) return null
  return (
    <section className="empty-recent" data-wide={isReal} aria-label={t.emptyChat.recent}>
      <h3>{t.emptyChat.recent}</h3>
      <ul>
        {recent.map(({ id, title, updatedAt }) => (
          <li key={id}>
            <button type="button" onClick={() => app.select(id)}>
              <MessageSquare aria-hidden />
              <span dir="auto">
                <VisibleText text={title} as="name" />
              </span>
              <Moment time={updatedAt} />
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
