/** What a model should know about `python.run`. */
export const instructions = `## Python

\`python.run\` executes Python and answers with stdout, stderr and the exit code.

Use it for calculations, for logic that must be exact rather than guessed, and to parse or transform data (CSV, JSON, XML, SQLite).

- \`python.run({ "code": "print(2 + 2)" })\` runs a piece of code. Print what you want to know; the value of the last line is not shown.
- \`python.run({ "file": "@project/scripts/analyze.py" })\` runs a file of the project.
- \`python.run({ "file": "@project/scripts/analyze.py", "args": ["input.csv"] })\` passes arguments in sys.argv.

Know before you start:

- Every call is a new interpreter. Variables, imports and files do not survive to the next call.
- The working directory is the project, where the operator lends one; else it is empty. It can only be read, and private files are not in it. Files can be written to /tmp, which is gone when the call ends; to keep something, print it and write it with a file tool.
- There is no network, no other process, no environment variable of the host, and no keyboard input. The default engine has no threads either.
- The standard library is there. Other packages are not: if a script needs one, say so to the user instead of trying to install it.
- Output is cut at 50,000 characters of stdout and 10,000 of stderr; stdoutTruncated and stderrTruncated say when. Print summaries, not data sets.
- A script that takes longer than the timeout (60 seconds unless configured otherwise) is ended with PYTHON_TIMEOUT.
`
