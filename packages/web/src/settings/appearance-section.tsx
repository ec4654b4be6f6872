import { t } from '../texts/t.ts'
import { setAppearance, setTheme, useAppearance, useTheme } from '../ui/appearance.ts'
import { Segments } from '../ui/segments.tsx'
import { SettingRow } from './section-parts.tsx'

const themes = ['system', 'light', 'dark'] as const
const textSizes = ['small', 'normal', 'large', 'huge'] as const
const contrasts = ['system', 'more', 'normal'] as const
const motions = ['system', 'reduced', 'full'] as const

export function AppearanceSection() {
  const theme = useTheme()
  const contrast = useAppearance('contrast')
  const motion = useAppearance('motion')
  const text = useAppearance('text')
  return (
    <>
      <SettingRow id="theme" title={t.settings.theme}>
        <Segments
          label={t.ui.appearance}
          options={themes.map((value) => ({ value, label: t.ui.themes[value] }))}
          value={theme}
          onChange={setTheme}
        />
      </SettingRow>
      <SettingRow id="contrast" title={t.settings.contrast} about={t.settings.contrastAbout}>
        <Segments
          label={t.settings.contrast}
          options={contrasts.map((value) => ({ value, label: t.settings.contrasts[value] }))}
          value={contrast}
          onChange={(value) => setAppearance('contrast', value)}
        />
      </SettingRow>
      <SettingRow id="motion" title={t.settings.motion} about={t.settings.motionAbout}>
        <Segments
          label={t.settings.motion}
          options={motions.map((value) => ({ value, label: t.settings.motions[value] }))}
          value={motion}
          onChange={(value) => setAppearance('motion', value)}
        />
      </SettingRow>
      <SettingRow id="text" title={t.settings.textSize}>
        <Segments
          label={t.settings.textSize}
          options={textSizes.map((value) => ({ value, label: t.settings.textSizes[value] }))}
          value={text}
          onChange={(value) => setAppearance('text', value)}
        />
      </SettingRow>
    </>
  )
}
