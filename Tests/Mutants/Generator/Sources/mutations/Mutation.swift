/// A wrong change to a source file, behind a condition that is decided at run time: texts to insert before and after
/// the expression or statement that it changes. `MUTANT` in them stands for the condition.
struct Mutation: Encodable {
  enum Kind: String, Encodable {
    case comparison, logic, arithmetic, constant, truth, condition, member, arguments, call, assignment, cases
  }

  var file: String
  var line: Int
  var kind: Kind
  /// What it changes, and into what, on one line.
  var words: String
  /// The bytes of the changed text.
  var start: Int
  var end: Int
  var before: String
  var after: String
}
