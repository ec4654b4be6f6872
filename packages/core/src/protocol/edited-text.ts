/** Begins the reason of a call that was not run because what a person made of its input cannot run. */
export const editedText = 'The person edited the input'
