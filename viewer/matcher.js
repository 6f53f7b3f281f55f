// Filters in the user's form: a substring in any case, or a /regular expression/.

/**
 * The selection by text: {accepts(...texts), problem}.  accepts() is true if one of the texts
 * matches, or text is empty; problem is the error in an expression, and then nothing is left
 * out.
 */
export function matcher(text) {
  const expression = /^\/(.+)\/([a-z]*)$/s.exec(text);
  if (text === "" || text === undefined || text === null) return all(null);
  if (!expression) {
    const part = text.toLowerCase();
    return {
      problem: null,
      accepts: (...texts) => texts.some((each) => each.toLowerCase().includes(part)),
    };
  }
  try {
    const pattern = new RegExp(expression[1], expression[2].replace(/[gy]/g, ""));
    return { problem: null, accepts: (...texts) => texts.some((each) => pattern.test(each)) };
  } catch (error) {
    return all(error.message);
  }
}

function all(problem) {
  return { problem, accepts: () => true };
}
