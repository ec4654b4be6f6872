import { teamTexts } from './languages/en/team.ts'
import './show-late.ts'
import { t } from './t.ts'

// Other languages load all texts at once.
if (!('team' in t)) Object.assign(t, teamTexts)
