export { extractUrls, normalizeUrl } from './addresses.ts'
export { chartProblem } from './chart-option.ts'
export type { ChartOption } from './chart-option.ts'
export { chartTable } from './chart-table.ts'
export { cleanMessage, interruptedText } from './clean.ts'
export { dataParts, isStoredData } from './data-parts.ts'
export type { DataParts } from './data-parts.ts'
export type * from './display.ts'
export { editedText } from './edited-text.ts'
export { createFold, foldChunks } from './fold.ts'
export type { Fold } from './fold.ts'
export { createReasoningNamer } from './name-thoughts.ts'
export { idPattern, idSchema, isId, newId } from './ids.ts'
export { isSameOrigin } from './is-same-server.ts'
export { sliceDelta, deltaText, itemSize, joinDeltas } from './number.ts'
export { visiblePieces, visibleText } from './odd-characters.ts'
export type { Strictness, VisiblePiece } from './odd-characters.ts'
export { paramProblem, modelParams } from './param.ts'
export type { Param, ParamValue, ParamValues } from './param.ts'
export { paramValuesSchema } from './param-values.ts'
export { parsePartialJson } from './partial-json.ts'
export { questionsSchema } from './questions.ts'
export type { Question, QuestionAnswer } from './questions.ts'
export { isAnswered, readAnswers } from './read-answers.ts'
export { readJsx } from './read-jsx.ts'
export type { JsxProblem, ReadJsx } from './read-jsx.ts'
export * from './answers.ts'
export * from './requests.ts'
export { fieldsIn, initialValues, fieldLabel, fieldName, readForm } from './ui-form.ts'
export type { FieldValue, FormAnswer } from './ui-form.ts'
export { elementsIn, readUiTree } from './ui-tree.ts'
export type { UiElement, UiNode, UiTree, UiTreeElement, UiValue } from './ui-tree.ts'
export { stoppedText } from './stopped-text.ts'
export { totalUsage } from './total-of.ts'
export { formatEvent, readEvents } from './sse.ts'
export type { StreamEvent } from './sse.ts'
export type {
  AgentMark,
  CallNotes,
  Chunk,
  ErrorInfo,
  Message,
  Metadata,
  Part,
  StoredMessage,
  Usage,
} from './message.ts'
