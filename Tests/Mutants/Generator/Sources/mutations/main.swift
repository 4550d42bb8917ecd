import Foundation

// mutations FILE ...: prints each wrong change that can be made to Swift files, as a line of JSON.
let encoder = JSONEncoder()
encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
for file in CommandLine.arguments.dropFirst() {
  let source = try String(contentsOfFile: file, encoding: .utf8)
  for mutation in MutationFinder(file, source).mutations {
    print(String(decoding: try encoder.encode(mutation), as: UTF8.self))
  }
}
