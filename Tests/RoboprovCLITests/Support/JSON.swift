import Foundation

/// JSON as another implementation reads it, to be looked into without ceremony: what is not there is nothing.
struct JSON {
  private let value: Any?

  private init(value: Any?) { self.value = value }

  /// A whole text; nil when it is not one JSON value and nothing else.
  init?(_ text: String) {
    guard let value = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    else {
      return nil
    }
    self.value = value
  }

  subscript(key: String) -> JSON { JSON(value: (value as? [String: Any])?[key]) }

  subscript(index: Int) -> JSON {
    let items = items
    return items.indices.contains(index) ? items[index] : JSON(value: nil)
  }

  var items: [JSON] { (value as? [Any])?.map { JSON(value: $0) } ?? [] }
  var keys: Set<String> { Set((value as? [String: Any])?.keys.map(\.self) ?? []) }
  /// Of a list; -1 for what is none.
  var count: Int { (value as? [Any])?.count ?? -1 }
  var text: String? { value as? String }
  var integer: Int? { (value as? NSNumber)?.intValue }
  var number: Double? { (value as? NSNumber)?.doubleValue }
  var flag: Bool? { value as? Bool }
  var isNull: Bool { value is NSNull }
}
