import SwiftOperators
import SwiftParser
import SwiftSyntax

/// Finds the places of a file where a plausible mistake can be made.
final class MutationFinder: SyntaxVisitor {
  private let file: String
  private let converter: SourceLocationConverter
  private(set) var mutations: [Mutation] = []

  init(_ file: String, _ source: String) {
    self.file = file
    let tree = OperatorTable.standardOperators.foldAll(Parser.parse(source: source)) { _ in }
    converter = SourceLocationConverter(fileName: file, tree: tree)
    super.init(viewMode: .sourceAccurate)
    walk(tree)
  }

  // MARK: What stays as it is

  override func visit(_ node: AttributeListSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: EnumCaseDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: GenericArgumentClauseSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    continuation(node.attributes)
  }
  override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
    continuation(node.attributes)
  }
  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
    continuation(node.attributes)
  }

  /// Code that is inlined elsewhere cannot call what is internal here, and a wrapper's or a builder's is not ordinary.
  private func continuation(_ attributes: AttributeListSyntax) -> SyntaxVisitorContinueKind {
    let names = attributes.compactMap { $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription }
    let isOrdinary = names.allSatisfy {
      ["discardableResult", "Sendable", "escaping", "MainActor"].contains($0)
    }
    return isOrdinary ? .visitChildren : .skipChildren
  }

  // MARK: Expressions

  override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    guard let symbol = node.operator.as(BinaryOperatorExprSyntax.self)?.operator.text else {
      return .visitChildren
    }
    let comparisons = ["<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="]
    let (left, right) = (node.leftOperand.trimmedDescription, node.rightOperand.trimmedDescription)
    if let reversed = ["<": ">", ">": "<"][symbol], left.contains("$0"), right.contains("$1") {
      // Equal elements have no order.
      replace(node, by: "\(left) \(reversed) \(right)", .comparison)
    } else if let other = comparisons[symbol] {
      replace(node, by: "\(left) \(other) \(right)", .comparison)
    } else if let other = ["&&": "||", "||": "&&"][symbol] {
      replace(node, by: "\(left) \(other) \(right)", .logic)
    } else if let other = ["+": "-", "-": "+", "*": "+", "/": "*", "%": "+", "<<": ">>", "&": "|", "|": "&"][
      symbol],
      !node.leftOperand.isText, !node.rightOperand.isText
    {
      replace(node, by: "\(left) \(other) \(right)", .arithmetic)
    }
    return .visitChildren
  }

  override func visit(_ node: PrefixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    if node.operator.text == "!" {
      replace(node, by: node.expression.trimmedDescription, .logic)
    }
    return node.operator.text == "-" ? .skipChildren : .visitChildren
  }

  override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
    let (condition, yes, no) = (node.condition, node.thenExpression, node.elseExpression)
    replace(
      node, by: "\(condition.trimmedDescription) ? \(no.trimmedDescription) : \(yes.trimmedDescription)",
      .condition)
    return .visitChildren
  }

  override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    replace(node, by: node.literal.text == "true" ? "false" : "true", .truth)
    return .skipChildren
  }

  override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    guard let value = Int(node.literal.text.filter { $0 != "_" }) else { return .skipChildren }
    let other = node.isAmount && value > 1 ? 2 * value : value + 1
    replace(node, by: "\(other)", .constant)
    return .skipChildren
  }

  override func visit(_ node: FloatLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    guard let value = Double(node.literal.text.filter { $0 != "_" }) else { return .skipChildren }
    replace(node, by: value == 0 ? "1.0" : "\(2 * value)", .constant)
    return .skipChildren
  }

  override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
    let others = [
      "first": "last", "last": "first", "min": "max", "max": "min", "prefix": "suffix", "suffix": "prefix",
      "dropFirst": "dropLast", "dropLast": "dropFirst", "union": "intersection", "intersection": "union",
      "hasPrefix": "hasSuffix", "hasSuffix": "hasPrefix",
    ]
    guard let base = node.base, let other = others[node.declName.baseName.text],
      node.declName.argumentNames == nil
    else { return .visitChildren }
    if let call = node.parent?.as(FunctionCallExprSyntax.self), call.calledExpression.id == node.id {
      let rest = String(call.trimmedDescription.dropFirst(node.trimmedDescription.count))
      replace(call, by: "\(base.trimmedDescription).\(other)\(rest)", .member)
    } else if node.parent?.is(FunctionCallExprSyntax.self) != true {
      replace(node, by: "\(base.trimmedDescription).\(other)", .member)
    }
    return .visitChildren
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    let name = node.calledExpression.trimmedDescription
    if ["precondition", "preconditionFailure", "fatalError", "assert"].contains(name) {
      return .skipChildren
    }
    if let other = ["min": "max", "max": "min"][name] {
      replace(node, by: other + node.trimmedDescription.dropFirst(name.count), .member)
    }
    let arguments = Array(node.arguments)
    if arguments.count >= 2, node.trailingClosure == nil {
      for (first, second) in zip(arguments, arguments.dropFirst())
      where first.expression.isAlike(second.expression)
        && first.expression.trimmedDescription != second.expression.trimmedDescription
      {
        let swapped = arguments.map { argument in
          let expression =
            argument.id == first.id
            ? second.expression : argument.id == second.id ? first.expression : argument.expression
          return (argument.label.map { "\($0.text): " } ?? "") + expression.trimmedDescription
        }
        replace(node, by: "\(name)(\(swapped.joined(separator: ", ")))", .arguments)
      }
    }
    return .visitChildren
  }

  // MARK: Conditions

  override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
    guard case .expression(let condition) = node.condition, let list = node.parent?.parent else {
      return .visitChildren
    }
    if list.is(GuardStmtSyntax.self) {
      replace(condition, by: "true", .condition)
    } else if list.is(IfExprSyntax.self) {
      replace(condition, by: "false", .condition)
      replace(condition, by: "true", .condition)
    }
    return .visitChildren
  }

  override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
    replace(node.condition, by: "true", .condition)
    return .visitChildren
  }

  // MARK: Statements

  override func visit(_ node: CodeBlockItemListSyntax) -> SyntaxVisitorContinueKind {
    // The only item of a body may be its value.
    guard node.count > 1, node.parent?.is(SourceFileSyntax.self) != true else { return .visitChildren }
    for item in node {
      guard case .expr(let expression) = item.item else { continue }
      if let infix = expression.as(InfixOperatorExprSyntax.self), infix.isAssignment {
        if !item.isInInitializer { drop(expression, .assignment) }
      } else if expression.isCall {
        drop(expression, .call)
      }
    }
    return .visitChildren
  }

  override func visit(_ node: SwitchCaseListSyntax) -> SyntaxVisitorContinueKind {
    let values = node.compactMap { $0.as(SwitchCaseSyntax.self) }.compactMap { $0.value }
    for (first, second) in zip(values, values.dropFirst())
    where first.trimmedDescription != second.trimmedDescription && second.isConstant {
      replace(first, by: second.trimmedDescription, .cases)
    }
    return .visitChildren
  }

  // MARK: Recording

  private func replace(_ node: some ExprSyntaxProtocol, by text: String, _ kind: Mutation.Kind) {
    add(node, kind, "\(node.oneLine) -> \(text.onOneLine)", before: "(MUTANT ? (\(text)) : (", after: "))")
  }

  private func drop(_ node: some ExprSyntaxProtocol, _ kind: Mutation.Kind) {
    add(node, kind, "without \(node.oneLine)", before: "if !(MUTANT) { ", after: " }")
  }

  private func add(
    _ node: some SyntaxProtocol, _ kind: Mutation.Kind, _ words: String, before: String, after: String
  ) {
    let start = node.positionAfterSkippingLeadingTrivia
    mutations.append(
      Mutation(
        file: file, line: converter.location(for: start).line, kind: kind, words: words,
        start: start.utf8Offset,
        end: node.endPositionBeforeTrailingTrivia.utf8Offset, before: before, after: after))
  }
}

extension SyntaxProtocol {
  fileprivate var oneLine: String { trimmedDescription.onOneLine }

  /// Whether it runs in an initializer, where each property must get its value.
  fileprivate var isInInitializer: Bool {
    var node = parent
    while let current = node {
      if current.is(InitializerDeclSyntax.self) { return true }
      if current.is(FunctionDeclSyntax.self) || current.is(ClosureExprSyntax.self) { return false }
      node = current.parent
    }
    return false
  }
}

extension String {
  fileprivate var onOneLine: String { split { $0.isWhitespace }.joined(separator: " ") }
}

extension ExprSyntaxProtocol {
  fileprivate var isText: Bool { self.is(StringLiteralExprSyntax.self) || self.is(ArrayExprSyntax.self) }

  /// The words in the name of a value, in lower case; none if it is not a name.
  private var nameWords: Set<String> {
    let name =
      self.as(DeclReferenceExprSyntax.self)?.baseName.text
      ?? self.as(MemberAccessExprSyntax.self)?.declName.baseName.text
    var words: [String] = []
    for letter in name ?? "" {
      if letter.isUppercase || words.isEmpty { words.append("") }
      words[words.count - 1] += letter.lowercased()
    }
    return Set(words)
  }

  /// Whether it is the name of a value that has the type of another one, as far as their names show.
  fileprivate func isAlike(_ other: ExprSyntax) -> Bool { !nameWords.isDisjoint(with: other.nameWords) }

  /// Whether it is a call whose value nobody uses.
  fileprivate var isCall: Bool {
    if let tried = self.as(TryExprSyntax.self) { return tried.expression.isCall }
    if let awaited = self.as(AwaitExprSyntax.self) { return awaited.expression.isCall }
    guard let call = self.as(FunctionCallExprSyntax.self) else { return false }
    let name = call.calledExpression.trimmedDescription
    return !["precondition", "preconditionFailure", "fatalError", "assert"].contains(name)
      && !name.hasSuffix(".reserveCapacity")
  }

  /// Whether it is an amount of time or bytes, of which one more makes no difference.
  fileprivate var isAmount: Bool {
    var node = parent
    for _ in 0..<3 {
      if let call = node?.as(FunctionCallExprSyntax.self) {
        return ["seconds", "milliseconds", "microseconds", "nanoseconds", "minutes"]
          .contains { call.calledExpression.trimmedDescription.hasSuffix($0) }
      }
      node = node?.parent
    }
    return false
  }
}

extension InfixOperatorExprSyntax {
  fileprivate var isAssignment: Bool {
    if self.operator.is(AssignmentExprSyntax.self) {
      // `_ = call()` drops a value; what is declared without a value must get it.
      return leftOperand.is(MemberAccessExprSyntax.self) || leftOperand.is(SubscriptCallExprSyntax.self)
    }
    let symbol = self.operator.as(BinaryOperatorExprSyntax.self)?.operator.text ?? ""
    return symbol.count > 1 && symbol.hasSuffix("=") && !["==", "!=", "<=", ">=", "==="].contains(symbol)
  }
}

extension SwitchCaseSyntax {
  /// The only expression of its body.
  fileprivate var value: ExprSyntax? {
    guard statements.count == 1, let item = statements.first?.item else { return nil }
    if case .expr(let expression) = item { return expression }
    if case .stmt(let statement) = item { return statement.as(ReturnStmtSyntax.self)?.expression }
    return nil
  }
}

extension ExprSyntax {
  /// Whether it uses nothing that only its own case has.
  fileprivate var isConstant: Bool {
    if self.is(IntegerLiteralExprSyntax.self) || self.is(BooleanLiteralExprSyntax.self) { return true }
    if let member = self.as(MemberAccessExprSyntax.self) { return member.base == nil }
    return false
  }
}
