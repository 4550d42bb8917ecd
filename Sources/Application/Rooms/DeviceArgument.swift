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
        .usage, "\(text.utf8.count > 40 ? "the text" : "“\(text.visible)”"): \(LabelWords.sentence(error))",
        advice: "`roboprov scan` lists the addresses.")
    }
  }
}
