import { useCallback, useState } from 'react'
import { t } from '../texts/t.ts'
import { Segments } from '../ui/segments.tsx'
import { setSpokenLanguage, setVoiceEngine, useVoice, type VoiceEngine, voiceEngines } from '../voice/voice-state.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { ConfigForm, type EditableConfig, SavedNote, useConfig } from './config-form.tsx'
import { ModelSelect } from './model-select.tsx'
import { ServerDataStatus, SettingRow, useServerData } from './section-parts.tsx'

/** Languages offered besides those of the browser. */
const languages = ['ar', 'de', 'en', 'es', 'fr', 'hi', 'id', 'it', 'ja', 'ko', 'nl', 'pl', 'pt', 'ru', 'sv', 'tr', 'zh']

export function VoiceSection() {
  const { dictation, reading, spokenLanguage } = useVoice()
  const { asked, save, saved } = useConfig()
  return (
    <>
      <SettingRow id="dictation" title={t.voice.dictation} about={t.voice.dictationAbout}>
        <Engine
          label={t.voice.dictation}
          value={dictation}
          onChange={(engine) => setVoiceEngine('dictation', engine)}
        />
      </SettingRow>
      <SettingRow id="spoken-language" title={t.voice.spokenLanguage} about={t.voice.spokenLanguageAbout}>
        <LanguageSelect value={spokenLanguage} />
      </SettingRow>
      {asked.value === null ? (
        <ServerDataStatus asked={asked} />
      ) : (
        <VoiceModel kind="transcription" asked={asked.value} save={save} saved={saved} />
      )}
      <SettingRow id="reading" title={t.voice.readAloud} about={t.voice.readingAbout}>
        <Engine label={t.voice.readAloud} value={reading} onChange={(engine) => setVoiceEngine('reading', engine)} />
      </SettingRow>
      {asked.value !== null && (
        <>
          <VoiceModel kind="speech" asked={asked.value} save={save} saved={saved} />
          <VoiceName
            key={asked.value.config.media.voice}
            value={asked.value.config.media.voice ?? ''}
            save={save}
            saved={saved}
          />
        </>
      )}
    </>
  )
}

function Engine(props: { label: string; value: VoiceEngine; onChange: (engine: VoiceEngine) => void }) {
  const { label, value, onChange } = props
  return (
    <Segments
      label={label}
      options={voiceEngines.map((engine) => ({ value: engine, label: t.voice.engines[engine] }))}
      value={value}
      onChange={onChange}
    />
  )
}

function LanguageSelect({ value }: { value: string }) {
  const names = new Intl.DisplayNames([t.tag], { type: 'language' })
  const tags = [...new Set([...navigator.languages, ...languages, ...(value === '' ? [] : [value])])]
  const named = tags
    .map((tag) => ({ tag, name: names.of(tag) ?? tag }))
    .toSorted((one, other) => one.name.localeCompare(other.name, t.tag))
  return (
    <select
      className="settings-select"
      aria-label={t.voice.spokenLanguage}
      value={value}
      onChange={({ target }) => setSpokenLanguage(target.value)}
    >
      <option value="">{t.voice.browserLanguage(names.of(navigator.language) ?? navigator.language)}</option>
      {named.map(({ tag, name }) => (
        <option key={tag} value={tag}>
          {name}
        </option>
      ))}
    </select>
  )
}

type Saving = Pick<EditableConfig, 'save' | 'saved'>

function VoiceModel(
  props: Saving & { kind: 'transcription' | 'speech'; asked: NonNullable<EditableConfig['asked']['value']> },
) {
  const { kind, asked, save, saved } = props
  const { api } = useWorkspace()
  const list = kind === 'speech' ? api.speechModels : api.transcriptionModels
  const { value, failure } = useServerData(useCallback(() => list(), [list]))
  const title = kind === 'speech' ? t.voice.speechModel : t.voice.transcriptionModel
  const about = failure ?? (value?.models.length === 0 ? t.voice.noModels : undefined)
  return (
    <SettingRow id={kind} title={title} about={about}>
      <ModelSelect
        label={title}
        models={value?.models ?? []}
        value={asked.config.media[kind]}
        onChoose={(chosen) => void save(kind, { media: { [kind]: chosen } })}
      />
      <SavedNote id={kind} saved={saved} />
    </SettingRow>
  )
}

function VoiceName({ value, save, saved }: Saving & { value: string }) {
  const [typed, setTyped] = useState(value)
  const name = typed.trim()
  return (
    <ConfigForm
      id="voice"
      title={t.voice.voiceName}
      about={t.voice.voiceNameAbout}
      isReady={name !== value}
      saved={saved}
      onSave={() => save('voice', { media: { voice: name === '' ? null : name } })}
    >
      <input
        type="text"
        className="settings-select"
        aria-label={t.voice.voiceName}
        value={typed}
        maxLength={100}
        spellCheck={false}
        onChange={({ target }) => setTyped(target.value)}
      />
    </ConfigForm>
  )
}
