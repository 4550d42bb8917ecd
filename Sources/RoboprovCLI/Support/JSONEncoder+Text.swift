import Foundation
import Model

extension JSONEncoder {
  /// A value in JSON, with nothing in it that a terminal would obey.
  func text(of value: some Encodable) throws -> String {
    String(decoding: JSONText.escaped(Array(try encode(value))), as: UTF8.self)
  }
}
