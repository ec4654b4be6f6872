import { cardTexts } from './languages/en/cards.ts'
import { t } from './t.ts'

// Other languages load all texts at once.
if ((t.displays as object | undefined) === undefined) Object.assign(t, cardTexts)
