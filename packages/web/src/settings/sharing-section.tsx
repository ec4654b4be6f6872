import type { PublishTarget } from '@troupe/protocol'
import { useCallback, useState } from 'react'
import type { Api } from '../api/api.ts'
import { toErrorInfo } from '../api/request.ts'
import { translateServerText } from '../texts/server-texts.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { Segments } from '../ui/segments.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { ConfigForm } from './config-form.tsx'
import { ActionFailure, ServerDataStatus, useServerAction, useServerData } from './section-parts.tsx'

/** Selects the folder or bucket that chats are published to. */
export function SharingSection() {
  const { api } = useWorkspace()
  const asked = useServerData(useCallback(() => api.publishTarget(), [api]))
  return (
    <>
      {asked.value === null ? (
        <ServerDataStatus asked={asked} />
      ) : (
        <TargetForm key={JSON.stringify(asked.value)} target={asked.value.target} onSaved={asked.again} />
      )}
      <PublishedPages />
    </>
  )
}

function PublishedPages() {
  const { api } = useWorkspace()
  const asked = useServerData(useCallback(() => api.publishedPages(), [api]))
  const { act, failure } = useServerAction(asked)
  const [tried, setTried] = useState<string | null>(null)
  const [forgetting, setForgetting] = useState<string | null>(null)
  if (asked.value === null) return <ServerDataStatus asked={asked} />
  if (asked.value.pages.length === 0) return null
  return (
    <section className="settings-group" aria-label={t.share.pages}>
      <h3>{t.share.pages}</h3>
      <p className="settings-note">{t.share.pagesAbout}</p>
      {asked.value.pages.map(({ name, title, url, place }) => (
        <div className="setting" key={name}>
          <div className="setting-text">
            <h3 dir="auto">{title ?? t.share.ofDeleted}</h3>
            <p>
              <code>
                {url === null ? (
                  <VisibleText text={place} as="name" />
                ) : (
                  <a href={url} target="_blank" rel="noreferrer">
                    {url}
                  </a>
                )}
              </code>
            </p>
          </div>
          <Button
            kind="danger"
            aria-label={`${t.share.unpublish}: ${title ?? place}`}
            onClick={() => {
              setTried(name)
              void act(() => api.unpublish(name))
            }}
          >
            {t.share.unpublish}
          </Button>
          {failure !== null && tried === name && (
            <Button aria-label={`${t.share.forget}: ${title ?? place}`} onClick={() => setForgetting(name)}>
              {t.share.forget}
            </Button>
          )}
        </div>
      ))}
      <ActionFailure failure={failure === null ? null : translateServerText(failure, 'text')} />
      {forgetting !== null && (
        <ConfirmDialog
          title={t.share.forgetTitle}
          confirm={t.share.forget}
          onConfirm={() => void act(() => api.unpublish(forgetting, { forget: '1' }))}
          onClose={() => setForgetting(null)}
        >
          <p>{t.share.forgetText}</p>
        </ConfirmDialog>
      )}
    </section>
  )
}

type BucketInput = NonNullable<NonNullable<Parameters<Api['setPublishTarget']>[0]>['bucket']>

const kinds = ['none', 'folder', 'bucket'] as const
type Kind = (typeof kinds)[number]

const fields = ['endpoint', 'region', 'bucket', 'prefix', 'accessKeyId', 'secretAccessKey'] as const
const isOptional = (name: (typeof fields)[number], hasKey: boolean) =>
  name === 'prefix' || (name === 'secretAccessKey' && hasKey)

function TargetForm({ target, onSaved }: { target: PublishTarget | null; onSaved: () => Promise<void> }) {
  const { api } = useWorkspace()
  const stored = storedForm(target)
  const [kind, setKind] = useState(stored.kind)
  const [folder, setFolder] = useState(stored.folder)
  const [url, setUrl] = useState(stored.url)
  const [bucket, setBucket] = useState(stored.bucket)
  const [saved, setSaved] = useState<{ id: string; failure: string | null } | null>(null)
  const hasKey = target?.bucket?.hasKey === true
  const isComplete =
    kind === 'none' ||
    (kind === 'folder'
      ? folder.trim() !== ''
      : fields.every((name) => isOptional(name, hasKey) || (bucket[name] ?? '').trim() !== ''))

  const isSame = (kind === 'none' && stored.kind === 'none') || isEqual({ kind, folder, url, bucket }, stored)

  const submit = async () => {
    const address = url.trim() || undefined
    const filled = Object.fromEntries(
      fields.flatMap((name) => ((bucket[name] ?? '').trim() === '' ? [] : [[name, (bucket[name] ?? '').trim()]])),
    ) as unknown as BucketInput
    try {
      await api.setPublishTarget(
        kind === 'none'
          ? null
          : kind === 'folder'
            ? { folder: folder.trim(), url: address }
            : { bucket: filled, url: address },
      )
      setSaved({ id: 'publish', failure: null })
      setBucket(({ secretAccessKey: _, ...rest }) => rest)
      await onSaved()
    } catch (error) {
      setSaved({ id: 'publish', failure: translateServerText(toErrorInfo(error).message, 'text') })
    }
  }

  return (
    <ConfigForm
      id="publish"
      title={t.share.where}
      about={t.share.whereAbout}
      isReady={isComplete && !isSame}
      saved={saved}
      onSave={submit}
    >
      <Segments
        label={t.share.where}
        options={kinds.map((value) => ({ value, label: t.share.kinds[value] }))}
        value={kind}
        onChange={setKind}
      />
      <div className="settings-fields">
        {kind === 'folder' && <Field label={t.share.folder} value={folder} onChange={setFolder} />}
        {kind === 'bucket' &&
          fields.map((name) => (
            <Field
              key={name}
              label={t.share.bucketFields[name]}
              type={name === 'secretAccessKey' ? 'password' : name === 'endpoint' ? 'url' : 'text'}
              placeholder={name === 'secretAccessKey' && hasKey ? t.share.keyKept : ''}
              value={bucket[name] ?? ''}
              onChange={(value) => setBucket((before) => ({ ...before, [name]: value }))}
            />
          ))}
        {kind !== 'none' && <Field label={t.share.publicAddress} type="url" value={url} onChange={setUrl} />}
      </div>
    </ConfigForm>
  )
}

function Field(props: {
  label: string
  type?: string
  placeholder?: string
  value: string
  onChange: (value: string) => void
}) {
  const { label, type = 'text', placeholder, value, onChange } = props
  return (
    <label>
      {label}
      <input
        type={type}
        value={value}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => onChange(target.value)}
      />
    </label>
  )
}

interface TargetFields {
  kind: Kind
  folder: string
  url: string
  bucket: Record<string, string>
}

function storedForm(target: PublishTarget | null): TargetFields {
  return {
    kind: target?.folder !== undefined ? 'folder' : target?.bucket !== undefined ? 'bucket' : 'none',
    folder: target?.folder ?? '',
    url: target?.url ?? '',
    bucket: { region: 'auto', ...asTexts(target?.bucket) },
  }
}

/** Ignores fields of other kinds of places, and empty ones. */
function isEqual(one: TargetFields, other: TargetFields): boolean {
  const texts = ({ kind, folder, url, bucket }: TargetFields) =>
    JSON.stringify([
      kind,
      url.trim(),
      kind === 'folder' ? folder.trim() : fields.map((name) => bucket[name]?.trim() || ''),
    ])
  return texts(one) === texts(other)
}

function asTexts(bucket: PublishTarget['bucket']): Record<string, string> {
  const { hasKey: _, ...texts } = bucket ?? { hasKey: false }
  return texts as Record<string, string>
}
