import '../texts/show-cards.ts'
import '../texts/show-late.ts'
import '../texts/show-team.ts'
