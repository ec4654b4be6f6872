import type { PublishedChat } from '@troupe/protocol'
import { Clipboard, Download, FileText, Printer, Type } from 'lucide-react'
import { type ReactNode, useCallback, useRef, useState } from 'react'
import { toErrorInfo } from '../api/request.ts'
import { useServerData } from '../settings/section-parts.tsx'
import { notice } from '../state/notices.tsx'
import { TeamPart, useMay } from '../state/team.tsx'
import { formatMoment } from '../texts/format.ts'
import { translateServerText } from '../texts/server-texts.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { Button, CopyButton, copyText } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import {
  conversationHtml,
  copyRichText,
  downloadChat,
  type ExportFormat,
  exportPath,
  printChat,
  type SharedChat,
} from './share-actions.ts'
import './share-dialog.css'

export function ShareDialog() {
  const { app } = useWorkspace()
  const chat = useApp((state) => state.shared)
  const dialog = useRef<HTMLDialogElement>(null)
  if (chat === null) return null
  return (
    <Dialog ref={dialog} title={t.share.title} className="share-dialog" onClose={() => app.setDialog(null)}>
      <TeamPart part="SharePeople" sessionId={chat.sessionId} />
      <CopyAndSave chat={chat} />
      <Publishing chat={chat} />
      <div className="dialog-buttons">
        <Button onClick={() => dialog.current?.close()}>{t.ui.close}</Button>
      </div>
    </Dialog>
  )
}

function CopyAndSave({ chat }: { chat: SharedChat }) {
  const { api, link } = useWorkspace()
  const read = (format: ExportFormat) => api.text(exportPath(chat, format))
  const done = (copied: boolean) => notice(copied ? t.chat.copied : t.chat.copyingFailed)
  const copyMarkdown = async () => {
    try {
      done(await copyText(await read('md')))
    } catch (error) {
      notice(toErrorInfo(error).message)
    }
  }
  const copyFormatted = async () =>
    done(
      await copyRichText(
        Promise.all([read('html'), read('md')]).then(([page, text]) => ({ html: conversationHtml(page), text })),
      ),
    )
  return (
    <div className="share-actions">
      <Action icon={<Clipboard aria-hidden />} label={t.share.copyMarkdown} onClick={() => void copyMarkdown()} />
      <Action icon={<Type aria-hidden />} label={t.share.copyRich} onClick={() => void copyFormatted()} />
      <Action
        icon={<Download aria-hidden />}
        label={t.share.downloadPage}
        onClick={() => downloadChat(chat, 'html', link)}
      />
      <Action
        icon={<FileText aria-hidden />}
        label={t.share.downloadMarkdown}
        onClick={() => downloadChat(chat, 'md', link)}
      />
      <Action icon={<Printer aria-hidden />} label={t.share.print} onClick={() => printChat(chat, link)} />
    </div>
  )
}

function Action({ icon, label, onClick }: { icon: ReactNode; label: string; onClick: () => void }) {
  return (
    <Button className="share-action" onClick={onClick}>
      {icon}
      {label}
    </Button>
  )
}

function Publishing({ chat: { sessionId, leaf } }: { chat: SharedChat }) {
  const { api, app } = useWorkspace()
  const target = useServerData(useCallback(() => api.publishTarget(), [api]))
  const state = useServerData(useCallback(() => api.published(sessionId), [api, sessionId]))
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const attempt = async (work: () => Promise<unknown>) => {
    setBusy(true)
    setFailure(null)
    try {
      await work()
      await state.again()
    } catch (error) {
      setFailure(translateServerText(toErrorInfo(error).message, 'text'))
    }
    setBusy(false)
  }
  const mayManage = useMay('manage')
  const loadFailure = target.failure ?? state.failure
  const isReady = target.value !== null && state.value !== null
  const published = state.value?.published ?? null
  const elsewhere = state.value?.elsewhere ?? []
  const unpublish = ({ name, place }: PublishedChat, isNamed = false) => (
    <Button
      kind="danger"
      disabled={busy}
      aria-label={isNamed ? `${t.share.unpublish}: ${place}` : undefined}
      onClick={() => void attempt(() => api.unpublish(name))}
    >
      {t.share.unpublish}
    </Button>
  )
  // Only admins of a team choose where chats are published.
  if (isReady && target.value?.target === null && !mayManage) return null
  return (
    <section className="share-publish" aria-label={t.share.publish}>
      <h3>{t.share.publish}</h3>
      {!isReady && <p>{loadFailure ?? t.ui.loading}</p>}
      {isReady && target.value?.target === null && (
        <>
          <p>{t.share.noTarget}</p>
          <Button onClick={() => app.openSettings('sharing')}>{t.share.chooseTarget}</Button>
        </>
      )}
      {isReady && target.value !== null && target.value.target !== null && (
        <>
          <p>{published === null ? t.share.publishAbout : <Published published={published} />}</p>
          <div className="share-buttons">
            <Button
              kind={published === null ? 'primary' : 'plain'}
              disabled={busy}
              onClick={() => void attempt(() => api.publish(sessionId, { branch: leaf, lang: t.tag }))}
            >
              {busy ? t.share.publishing : published === null ? t.share.publish : t.share.update}
            </Button>
            {published !== null && unpublish(published)}
          </div>
        </>
      )}
      {elsewhere.length > 0 && (
        <>
          <h4>{t.share.elsewhere}</h4>
          <ul className="share-elsewhere">
            {elsewhere.map((page) => (
              <li key={page.name}>
                <PageLink page={page} />
                {unpublish(page, true)}
              </li>
            ))}
          </ul>
        </>
      )}
      {failure !== null && (
        <p className="share-failure" role="alert">
          {failure}
        </p>
      )}
    </section>
  )
}

function Published({ published }: { published: PublishedChat }) {
  const [now] = useState(Date.now)
  return (
    <PageLink page={published}>
      <span>{t.share.publishedAt(formatMoment(published.publishedAt, now))}</span>
    </PageLink>
  )
}

function PageLink({ page: { url, place }, children }: { page: PublishedChat; children?: ReactNode }) {
  return (
    <span className="share-link">
      {url === null ? (
        <code>
          <VisibleText text={place} as="name" />
        </code>
      ) : (
        <a href={url} target="_blank" rel="noreferrer">
          {url}
        </a>
      )}
      <CopyButton text={url ?? place} label={url === null ? t.share.copyPath : t.share.copyLink} />
      {children}
    </span>
  )
}
