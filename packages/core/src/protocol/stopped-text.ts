/** What a call is told that a person's stop has left without a result. The page knows it by this. */
export const stoppedText = 'Stopped by the person before it finished.'
