package import Bluetooth
import Model

/// A device that a person names on the command line by its address, or by the text of its label.
package enum DeviceArgument {
  /// - Throws: `CommandFailure` for a text without exactly one address.
  package static func address(_ text: String) throws -> BluetoothAddress {
    do throws(LabelProblem) {
      return try LabelText.address(in: text)
    } catch {
      throw CommandFailure(
        .usage, "\(shown(text) ?? "the text"): \(LabelWords.sentence(error))",
        advice: "`roboprov scan` lists the addresses.")
    }
  }

  /// The text as messages quote it; nil for a long one, and for the code of a label or of a network, which may have a
  /// password.
  static func shown(_ text: String) -> String? {
    text.utf8.count > 40 || text.contains { "{}\"=;%".contains($0) } ? nil : "“\(text.visible)”"
  }
}
