import { lateTexts } from './languages/en/settings.ts'
import { en } from './languages/en.ts'
import { t } from './t.ts'

// Other languages load all texts at once.
if ((t.settings as object) === en.settings) Object.assign(t, lateTexts)
