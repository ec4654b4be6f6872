import type { OfficeAction } from '@troupe/core'
import { addImage, addSlideChart, addTable } from './objects.ts'
import type { Pptx } from './presentation.ts'
import { addSlide, deleteSlide, duplicateSlide, moveSlide, setNotes } from './slides.ts'
import { fillPlaceholder, replaceOnSlides } from './text.ts'

/** Applies one action. Returns false if it is not an action for presentations. */
export function editPptx(
  pptx: Pptx,
  action: OfficeAction,
  workbookOf: (rows: (string | number)[][]) => Uint8Array,
): boolean {
  switch (action.action) {
    case 'replace_text':
      replaceOnSlides(pptx, action)
      return true
    case 'fill_placeholder':
      fillPlaceholder(pptx, action)
      return true
    case 'add_slide':
      addSlide(pptx, action)
      return true
    case 'move_slide':
      moveSlide(pptx, action)
      return true
    case 'duplicate_slide':
      duplicateSlide(pptx, action)
      return true
    case 'delete_slide':
      deleteSlide(pptx, action)
      return true
    case 'set_notes':
      setNotes(pptx, action)
      return true
    case 'add_image':
      addImage(pptx, action)
      return true
    case 'add_table':
      addTable(pptx, action)
      return true
    case 'add_chart':
      addSlideChart(pptx, action, workbookOf)
      return true
    default:
      return false
  }
}
