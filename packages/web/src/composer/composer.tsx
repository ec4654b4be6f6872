import { ArrowUp, CornerDownRight, ListPlus, Paperclip, Square } from 'lucide-react'
import { lazy, Suspense, useEffect, useId, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { removeComments, useComments, withComments } from '../changes/comments.ts'
import { useChatActions } from '../chat/hooks/use-chat-actions.ts'
import { activePlan } from '../chat/session/active-plan.ts'
import { fileParts } from '../chat/session/attachments.ts'
import { typedAddresses } from '../chat/session/drafts.ts'
import { useSession, useSessionStore } from '../chat/session/session-context.ts'
import { chatStatus, openComparison } from '../chat/session/session-state.ts'
import { AgentPicker } from '../pickers/agent-picker.tsx'
import { ModePicker } from '../pickers/mode-picker.tsx'
import { ModelPicker } from '../pickers/model-picker.tsx'
import { keyText } from '../platform/keyboard.ts'
import { notice } from '../state/notices.tsx'
import { formatCount } from '../texts/format.ts'
import { useNoApproval } from '../state/team.tsx'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'
import { GrowingTextarea } from '../ui/elements.tsx'
import { hasScreenKeyboard } from '../ui/restore-focus.ts'
import { DictateButton } from '../voice/dictate-button.tsx'
import { useVoice } from '../voice/voice-state.ts'
import { currentMode, sessionProject } from '../workspace/app-state.ts'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import './composer.css'
import { ParamsButton } from './params-button.tsx'
import { QuoteButton } from './quote-button.tsx'
import { useSuggestions } from './suggestions.ts'
import { BlockedNote, useBlocked } from './use-blocked.tsx'
import { useFileDrop, useInputHistory, usePaste } from './use-composer-input.ts'

const AttachmentChips = lazy(() =>
  import('./attachment-chips.tsx').then((loaded) => ({ default: loaded.AttachmentChips })),
)
const ReadingBar = lazy(() => import('../voice/reading-bar.tsx').then((loaded) => ({ default: loaded.ReadingBar })))
const PlanBar = lazy(() => import('./plan-bar.tsx').then((loaded) => ({ default: loaded.PlanBar })))
const ComposerNotes = lazy(() =>
  import('../changes/composer-notes.tsx').then((loaded) => ({ default: loaded.ComposerNotes })),
)
const ProjectChip = lazy(() =>
  import('../projects/project-chip.tsx').then((loaded) => ({ default: loaded.ProjectChip })),
)
const SuggestionList = lazy(() =>
  import('./suggestion-list.tsx').then(({ SuggestionList: List }) => ({ default: List })),
)
const QueueChips = lazy(() => import('./queue-chips.tsx').then(({ QueueChips: Chips }) => ({ default: Chips })))

/**
 * Enter sends. During a run, Enter queues, Ctrl or Cmd with Enter steers, and Escape stops. Arrow up in an empty field
 * recalls sent messages.
 */
export function Composer() {
  const { setDraft, attach, send, enqueue, steer, stop } = useChatActions()
  const { queue, getState, filesUploaded } = useSessionStore()
  const sessionId = useSession((state) => state.sessionId)
  const draft = useSession((state) => state.draft)
  const running = useSession((state) => state.run !== null)
  const stopping = useSession((state) => state.run?.stopAskedAt != null)
  const gone = useSession((state) => state.phase === 'missing')
  const isCompared = useSession((state) => openComparison(state.messages) !== undefined)
  const plan = useSession(activePlan)
  const isQueued = useStore(queue, ({ items }) => items.length > 0)
  const isReading = useVoice(({ read }) => read !== null)
  const blocked = useBlocked()
  const { sendAsNew } = useWorkspace()
  const mode = useApp(currentMode)
  const projectId = useApp(sessionProject)
  const field = useRef<HTMLTextAreaElement>(null)
  const keysId = useId()
  useEffect(() => {
    // On a phone, focus would open the keyboard over half of the page.
    if (!hasScreenKeyboard()) field.current?.focus()
  }, [sessionId])
  const picks = useSuggestions(field, draft, setDraft)
  const history = useInputHistory(draft, setDraft)
  const attachments = useSession((state) => state.attachments)
  const picker = useRef<HTMLInputElement>(null)
  const dropping = useFileDrop(attach)
  const onPaste = usePaste()
  const uploaded = attachments.every(({ url }) => url !== null)
  const comments = useComments(sessionId)
  const isRewound = useSession((state) => state.isRewound)
  const isWritten = draft.trim() !== '' || comments.length > 0
  const ready = (isWritten || attachments.length > 0) && uploaded && blocked === null

  /** Comments on changes go with the message. */
  const takeComments = (): string => {
    const text = withComments(getState().draft, comments)
    removeComments(
      sessionId,
      comments.map(({ id }) => id),
    )
    return text
  }
  const sendDraft = () => {
    const files = fileParts(getState().attachments)
    const text = takeComments()
    if (gone) {
      setDraft('')
      sendAsNew(text, files)
    } else if (running) enqueue(text, files)
    else void send(text, files)
    field.current?.focus()
  }
  const latest = useRef(sendDraft)
  useEffect(() => {
    latest.current = sendDraft
  })
  /** The message waits for its files. Counts up when it no longer does. */
  const waits = useRef(0)
  const [isAwaited, setAwaited] = useState(false)
  const stopWaiting = () => {
    waits.current++
    setAwaited(false)
  }
  const submit = () => {
    if (ready) return sendDraft()
    if (uploaded || blocked !== null) return
    const own = ++waits.current
    setAwaited(true)
    void filesUploaded().then((isWhole) => {
      if (waits.current !== own) return
      stopWaiting()
      // Without a file that failed, the message would say something else.
      if (isWhole) latest.current()
    })
  }
  const speak = () => {
    // Several answers run at once, so the message waits until the user continues with one.
    if (!running || isCompared) return submit()
    if (attachments.length > 0) return notice(t.composer.noFilesWhileSteering)
    if (isWritten && blocked === null) void steer(takeComments())
    field.current?.focus()
  }

  return (
    <form
      className={dropping ? 'composer composer-dropping' : 'composer'}
      data-mode={mode}
      data-focus-home=".composer-box textarea"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <QuoteButton />
      <BlockedNote blocked={blocked} />
      {plan !== undefined && (
        <Suspense>
          <PlanBar plan={plan} />
        </Suspense>
      )}
      {(isRewound || comments.length > 0) && (
        <Suspense>
          <ComposerNotes />
        </Suspense>
      )}
      {isQueued && (
        <Suspense>
          <QueueChips />
        </Suspense>
      )}
      {isReading && (
        <Suspense>
          <ReadingBar />
        </Suspense>
      )}
      <div className="composer-box">
        {picks.isOpened && (
          <Suspense fallback={null}>
            <SuggestionList picks={picks} />
          </Suspense>
        )}
        {attachments.length > 0 && (
          <Suspense>
            <AttachmentChips isAwaited={isAwaited} />
          </Suspense>
        )}
        <GrowingTextarea
          ref={field}
          aria-label={running ? t.composer.messageDuringRun : t.composer.message}
          placeholder={
            dropping ? t.composer.dropHere : running ? t.composer.placeholderDuringRun : t.composer.placeholder
          }
          value={draft}
          aria-describedby={running ? keysId : undefined}
          aria-autocomplete="list"
          aria-controls={picks.items.length > 0 ? picks.listId : undefined}
          aria-activedescendant={picks.items.length > 0 ? picks.optionId(picks.active) : undefined}
          onChange={(event) => {
            const { value, selectionEnd: caret } = event.target
            const { inputType = '' } = event.nativeEvent as Partial<InputEvent>
            typedAddresses.note(draft, value, { inputType, caret })
            stopWaiting()
            setDraft(value)
          }}
          onSelect={picks.look}
          onBlur={picks.close}
          onPaste={onPaste}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing || picks.onKey(event) || history.onKey(event)) return
            if (event.key === 'Escape' && running) void stop()
            if (event.key !== 'Enter' || event.shiftKey) return
            event.preventDefault()
            if (event.ctrlKey || event.metaKey) speak()
            else submit()
          }}
        />
        <div className="composer-row">
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            aria-label={t.composer.filesToAttach}
            onChange={(event) => {
              void attach(event.target.files ?? [])
              event.target.value = ''
            }}
          />
          <IconButton label={t.composer.attach} onClick={() => picker.current?.click()}>
            <Paperclip />
          </IconButton>
          <ModelPicker />
          <ParamsButton />
          <ModePicker />
          <AgentPicker />
          {projectId !== null && (
            <Suspense>
              <ProjectChip id={projectId} />
            </Suspense>
          )}
          <ComposerHint />
          <DictateButton />
          {running && (
            <span id={keysId} hidden>
              {t.composer.aboutDuringRun(keyText('Mod+Enter'))}
            </span>
          )}
          {running && !isCompared && ready && attachments.length === 0 && (
            <IconButton
              className="composer-steer"
              label={t.composer.steer}
              shortcut={keyText('Mod+Enter')}
              onClick={speak}
            >
              <CornerDownRight />
            </IconButton>
          )}
          {/* Keeps its position whatever is typed. */}
          {running && (
            <IconButton
              className="composer-stop"
              label={stopping ? t.composer.stopping : t.composer.stop}
              shortcut="Esc"
              disabled={stopping}
              onClick={() => void stop()}
            >
              <Square />
            </IconButton>
          )}
          <IconButton
            className="composer-send"
            type="submit"
            label={running ? t.composer.queueIt : gone ? t.composer.sendAsNew : t.composer.send}
            shortcut="Enter"
            disabled={!ready}
          >
            {running ? <ListPlus /> : <ArrowUp />}
          </IconButton>
        </div>
      </div>
    </form>
  )
}

/** Draft length in characters from which the token count is shown. */
const longDraft = 1000

/** Shows the current keyboard hints. Buttons and labels tell screen readers the same. */
function ComposerHint() {
  const draft = useSession((state) => state.draft)
  const status = useSession(chatStatus)
  const isCompared = useSession((state) => openComparison(state.messages) !== undefined)
  const sessionId = useSession((state) => state.sessionId)
  const isForOthers = useNoApproval(sessionId) !== undefined
  const asksApproval = useApp((state) =>
    state.asks.some((ask) => ask.kind === 'approval' && ask.sessionId === sessionId),
  )
  return (
    <span className="composer-hint" aria-hidden>
      {text()}
    </span>
  )

  function text(): string {
    if (status === 'missing') return t.composer.sendsAsNew
    const running = ['submitted', 'streaming', 'waiting'].includes(status)
    if (status === 'waiting' && draft.trim() === '' && !isForOthers)
      return draft === '' && asksApproval
        ? t.composer.decideKeys(keyText('Alt+Y'), keyText('Alt+N'))
        : t.composer.waitingAbove
    // The placeholder says that Enter queues until something is typed.
    if (running) return isCompared ? '' : t.composer.steerKey(keyText('Mod+Enter'))
    if (draft.length >= longDraft) return t.composer.tokens(formatCount(estimateTokens(draft)))
    return draft === '' && status === 'new' ? t.composer.hint : ''
  }
}

/** Estimates tokens: four letters, or one character of a dense script such as Chinese, make one. */
export function estimateTokens(text: string): number {
  const dense = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0
  return Math.ceil(dense + (text.length - dense) / 4)
}
