import Foundation

/// JSON as parsed by another implementation; a missing key or element yields an empty value.
struct JSON {
  private let value: Any?

  private init(value: Any?) { self.value = value }

  /// Parses a text; nil unless it is exactly one JSON value.
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
  /// The number of elements of a list; −1 for any other value.
  var count: Int { (value as? [Any])?.count ?? -1 }
  var text: String? { value as? String }
  /// The minor in an identity of an iBeacon.
  var minor: Int? {
    (value as? String)?.range(of: "minor ").flatMap { range in
      (value as? String).flatMap { Int($0[range.upperBound...]) }
    }
  }
  var integer: Int? { (value as? NSNumber)?.intValue }
  var number: Double? { (value as? NSNumber)?.doubleValue }
  var flag: Bool? { value as? Bool }
  var isNull: Bool { value is NSNull }
}
