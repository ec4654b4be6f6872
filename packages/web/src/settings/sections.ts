import type { SettingsSection } from './section.ts'

export interface NamedSection extends SettingsSection {
  id: string
}

const files = import.meta.glob<SettingsSection>('./sections/*.tsx', { eager: true, import: 'section' })

/** Every file of the folder is a section, in the order that they name. */
export const sections: readonly NamedSection[] = Object.entries(files)
  .map(([file, section]) => ({ ...section, id: file.slice(file.lastIndexOf('/') + 1, -'.tsx'.length) }))
  .toSorted((one, other) => one.order - other.order)
