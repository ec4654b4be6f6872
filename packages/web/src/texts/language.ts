import { useSyncExternalStore } from 'react'
import { browserStorage } from '../platform/storage.ts'
import { en, type Texts } from './languages/en.ts'
import { type ServerTexts, setServerTexts } from './server-texts.ts'
import { t } from './t.ts'

const key = 'troupe.language'
const listeners = new Set<() => void>()
/** Each file in the folder is a language, named by its tag. Loaded on demand. */
const files = import.meta.glob<Record<string, Texts>>(['./languages/*.ts', '!./languages/en.ts'])
const serverTextFiles = import.meta.glob<Record<string, ServerTexts>>('./said/*.ts')
let shownLanguage = 'en'

export const languages: readonly string[] = ['en', ...Object.keys(files).map(languageTag)]

/** Returns the chosen language, or else the first available one of the browser's. */
export function preferredLanguage(wanted: readonly string[] = navigator.languages): string {
  const kept = browserStorage.get(key)
  const candidates = [...(kept === null ? [] : [kept]), ...wanted]
  const found = candidates.map((tag) => languages.find((each) => tag === each || tag.startsWith(`${each}-`)))
  return found.find((tag) => tag !== undefined) ?? 'en'
}

/** Loads a language into `t`. If loading fails, the page stays unchanged. */
export async function showLanguage(tag: string): Promise<void> {
  const load = files[`./languages/${tag}.ts`]
  const [texts, said] = await Promise.all([
    load === undefined ? english() : load().then((file) => file[tag]),
    serverTextFiles[`./said/${tag}.ts`]?.().then((file) => file[tag]),
  ])
  if (texts === undefined) throw new Error(`texts/languages/${tag}.ts does not export "${tag}"`)
  Object.assign(t, texts)
  setServerTexts(said)
  shownLanguage = tag
  document.documentElement.lang = tag
  for (const listener of listeners) listener()
}

/** Leaves out the late texts until something has shown them. */
async function english(): Promise<object> {
  const late = (t.settings as object) !== en.settings && (await import('./languages/en/settings.ts')).lateTexts
  const cards = (t.displays as object | undefined) !== undefined && (await import('./languages/en/cards.ts')).cardTexts
  const team = 'team' in t && (await import('./languages/en/team.ts')).teamTexts
  return { ...en, ...late, ...cards, ...team }
}

export async function chooseLanguage(tag: string): Promise<void> {
  await showLanguage(tag)
  browserStorage.set(key, tag)
}

export async function languageNames(): Promise<Record<string, string>> {
  const names = Object.entries(files).map(async ([file, load]) => {
    const tag = languageTag(file)
    // Preload, so that switching is instant.
    await serverTextFiles[`./said/${tag}.ts`]?.()
    return [tag, (await load())[tag]?.language ?? tag] as const
  })
  return Object.fromEntries([['en', en.language], ...(await Promise.all(names))])
}

export function useLanguage(): string {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => shownLanguage,
  )
}

function languageTag(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1, -'.ts'.length)
}
