import { Mic } from 'lucide-react'
import { lazy } from 'react'
import { t } from '../../texts/t.ts'
import type { SettingsSection } from '../section.ts'

export const section: SettingsSection = {
  order: 9.5,
  title: () => t.settings.sections.voice,
  icon: Mic,
  words: () => t.settings.words.voice,
  settings: () => [
    { id: 'dictation', title: t.voice.dictation, words: t.voice.dictationWords },
    { id: 'spoken-language', title: t.voice.spokenLanguage },
    { id: 'transcription', title: t.voice.transcriptionModel },
    { id: 'reading', title: t.voice.readAloud, words: t.voice.readingWords },
    { id: 'speech', title: t.voice.speechModel },
    { id: 'voice', title: t.voice.voiceName },
  ],
  Component: lazy(async () => ({ default: (await import('../voice-section.tsx')).VoiceSection })),
}
