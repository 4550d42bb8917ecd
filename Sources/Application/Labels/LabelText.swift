package import Bluetooth
import Hex
import Host
import Manifest
package import Model
package import Session

/// Finds the Bluetooth address in what a barcode scanner or a person enters: a bare address, or the text of a
/// QR code.
///
/// The address is written as `BluetoothAddress` reads it. Other text may surround it. Digits after a key for a serial or
/// article number (`SN`, `EAN`) or for a secret (`pop`) are not an address.
package enum LabelText {
  /// The longest text that is searched, in bytes; more than any QR code holds.
  package static let maximumBytes = 4296

  /// The only address in a text.
  /// - Parameter known: The addresses of other devices: twelve decimal digits, the form of the commonest barcode (UPC), are an
  ///   address only if one of these begins with the same block. Nil for a text that is no scan.
  /// - Throws: why there is none, or that there are several.
  package static func address(
    in text: String, beside known: [BluetoothAddress]? = nil
  ) throws(LabelProblem) -> BluetoothAddress {
    guard text.utf8.count <= maximumBytes else { throw .tooLong }
    let words = Words(text.percentDecoded)
    guard !words.all.isEmpty else { throw .empty }
    // Also the end of one, `…;;`.
    guard !words.areWiFi, !text.trimmed.hasSuffix(";;") else { throw .wifi }
    let found = words.addresses
    guard let address = found.first else {
      if let inner = words.addressInEUI64 { throw .eui64(inner) }
      throw .noAddress(digits: words.all.count == 1 ? words.all[0].hexDigits : nil)
    }
    guard found.count == 1 else { throw .several(found) }
    guard address.isPossible else { throw .notADevice(address) }
    if let known, text.trimmed.allSatisfy({ $0.isASCII && $0.isNumber }),
      !known.contains(where: { $0.manufacturer == address.manufacturer })
    {
      throw .barcode
    }
    return address
  }

  /// Whether a text has one address.
  package static func hasAddress(_ text: String) -> Bool { (try? address(in: text)) != nil }
}

/// What a label says about its device.
package struct DeviceLabel: Hashable, Sendable {
  package var device: DeviceReference
  /// The settings that it gives; empty for a label with an address.
  package var secrets: [SettingName: Secret]
  /// Whether only the name was read, and the secrets are those of the file of labels.
  var isNameOnly = false

  package init(_ device: DeviceReference, secrets: [SettingName: Secret] = [:]) {
    (self.device, self.secrets) = (device, secrets)
  }

  /// The label of a device of a family, with this address on it.
  init(_ address: BluetoothAddress, of family: DeviceFamily?) {
    self.init(family?.isNamedByLabel == true ? .name(address.bytes.hex(uppercase: true)) : .address(address))
  }
}

extension LabelText {
  /// What the label of a device of a family says: a product's label, or an address.
  /// - Parameters:
  ///   - drivers: Those of all families of the building.
  ///   - known: As for `address`.
  package static func label(
    in text: String, of family: FamilyID, _ drivers: [FamilyDriver] = BuiltIn.drivers,
    beside known: [BluetoothAddress]? = nil
  ) throws(LabelProblem) -> DeviceLabel {
    guard text.utf8.count <= maximumBytes else { throw .tooLong }
    for driver in drivers {
      let label: ProductLabel?
      do throws(ProductLabelProblem) {
        label = try driver.readLabel?(text.trimmed)
      } catch {
        throw .product(error)
      }
      guard let label else { continue }
      guard driver.family.id == family else { throw .otherFamily(driver.family.withArticle) }
      return DeviceLabel(.name(label.name), secrets: label.secrets)
    }
    let address = try address(in: text, beside: known)
    return DeviceLabel(address, of: drivers[family]?.family)
  }
}

/// Why a text does not name a device.
package enum LabelProblem: Error, Hashable, Sendable {
  case empty
  /// The text is longer than any label.
  case tooLong
  /// There is no address. `digits` is the number of hex digits when the text is nothing else.
  case noAddress(digits: Int?)
  /// There is one EUI-64, which was made from this address.
  case eui64(BluetoothAddress)
  /// There are several addresses, in the order of the text.
  case several([BluetoothAddress])
  /// All zeros or all ones, which no device has.
  case notADevice(BluetoothAddress)
  /// Twelve decimal digits, which are probably the barcode of an article.
  case barcode
  /// It is a code for a WiFi network, which may have its password.
  case wifi
  /// It is the label of a product, and cannot be used.
  case product(ProductLabelProblem)
  /// It is the label of another kind of device than the room's, with its article.
  case otherFamily(String)
}

/// A text as words of letters and digits, with the separators between them.
private struct Words {
  struct Word {
    var text: Substring
    /// The text between the previous word and this one.
    var separator: Substring

    /// The number of hex digits; nil when the word has other characters.
    var hexDigits: Int? { text.allSatisfy { $0.isASCII && $0.isHexDigit } ? text.count : nil }
  }

  private(set) var all: [Word] = []

  init(_ text: String) {
    var rest = text[...]
    while true {
      let separator = rest.prefix { !$0.isWordCharacter }
      rest = rest[separator.endIndex...]
      let word = rest.prefix(while: \.isWordCharacter)
      if word.isEmpty { return }
      // `0xC47C8D000001`
      let isPrefixed = word.count == 14 && word.lowercased().hasPrefix("0x")
      all.append(Word(text: isPrefixed ? word.dropFirst(2) : word, separator: separator))
      rest = rest[word.endIndex...]
    }
  }

  /// Whether they are a code for a WiFi network (`WIFI:T:WPA;S:…`, also without its beginning, `DPP:…`), or have a field
  /// of one (`&psk=…`, `"psk": …`).
  var areWiFi: Bool {
    zip(all, all.dropFirst()).contains { word, next in
      let name = word.text.lowercased()
      let isBeforeColon = next.separator == ":"
      if isBeforeColon, ["wifi", "dpp"].contains(name) { return true }
      if isBeforeColon, name == "t" { return Self.wifiSecurities.contains(next.text.lowercased()) }
      return next.separator.isAssignment && Self.wifiFields.contains(where: name.hasSuffix)
    }
  }

  private static let wifiSecurities: Set = ["wpa", "wpa2", "wpa3", "wep", "sae", "nopass"]
  /// The ends of the names of fields: `wifi_pass`, `wifiKey`.
  private static let wifiFields = ["ssid", "psk", "pass", "password", "passphrase", "pwd", "key"]

  /// Each address once, in the order of the text.
  var addresses: [BluetoothAddress] {
    var found: [BluetoothAddress] = []
    var index = 0
    while index < all.count {
      let group = self.group(at: index)
      guard let address = address(of: group), !isSomethingElse(group) else {
        index += 1
        continue
      }
      if !found.contains(address) { found.append(address) }
      index = group.upperBound
    }
    return found
  }

  /// The address from which the only EUI-64 in the text was made; nil if there are several, or none that was made from one.
  var addressInEUI64: BluetoothAddress? {
    var found: Set<BluetoothAddress> = []
    var index = 0
    while index < all.count {
      let group = self.group(at: index)
      if let address = BluetoothAddress(inEUI64: all[group].map(\.text).joined()), address.isPossible,
        !isSomethingElse(group)
      {
        found.insert(address)
      }
      index = group.upperBound
    }
    return found.count == 1 ? found.first : nil
  }

  /// The words from `index` on that have equally many hex digits and the same separator.
  private func group(at index: Int) -> Range<Int> {
    guard let digits = all[index].hexDigits, digits == 2 || digits == 4 else { return index..<index + 1 }
    var end = index + 1
    while end < all.count, all[end].hexDigits == digits, all[end].separator.isSeparator,
      end == index + 1 || all[end].separator == all[index + 1].separator
    {
      end += 1
    }
    return index..<end
  }

  private func address(of group: Range<Int>) -> BluetoothAddress? {
    BluetoothAddress(all[group].map(\.text).joined())
  }

  /// Whether the digits belong to a longer sequence, or a key marks them as another number.
  private func isSomethingElse(_ group: Range<Int>) -> Bool {
    let isBare = group.count == 1
    if group.upperBound < all.count {
      let next = all[group.upperBound]
      if isJoined(next) || isBare && next.separator == "-" && next.hexDigits != nil { return true }
      if !isBare, goesOn(group, next.separator), next.hexDigits != nil { return true }
    }
    guard group.lowerBound > 0 else { return false }
    let previous = all[group.lowerBound - 1]
    let separator = all[group.lowerBound].separator
    // The last group of a UUID.
    if isBare, separator == "-", (previous.hexDigits ?? 0) >= 4 { return true }
    if !isBare, separator == all[group.lowerBound + 1].separator,
      previous.hexDigits == all[group.lowerBound].hexDigits
        || goesOn(group, separator) && previous.hexDigits != nil
    {
      return true
    }
    return isKey(previous, before: separator)
  }

  /// Whether the neighbour of a group has the group's own separator: the middle of a UUID is not an address.
  private func goesOn(_ group: Range<Int>, _ separator: Substring) -> Bool {
    separator != " " && separator == all[group.lowerBound + 1].separator
  }

  /// Whether a word of hex digits continues the word before it.
  private func isJoined(_ word: Word) -> Bool {
    [2, 4].contains(word.hexDigits) && [":", "-", "."].contains(word.separator)
  }

  /// Whether a word before a number marks it as something other than an address.
  private func isKey(_ word: Word, before separator: Substring) -> Bool {
    // As in `"sn": "…`.
    guard separator.count <= 4, !separator.contains(where: { ";,&|\n".contains($0) }) else { return false }
    let keys = [
      "sn", "s", "n", "ser", "serial", "serialno", "serialnumber", "no", "nr", "lot", "batch", "ean", "upc",
      "gtin", "p", "pn", "part", "imei", "date", "order",
      // A secret must not get into the manifest as an address.
      "pop", "password", "pwd", "pin", "key", "token",
    ]
    return keys.contains(word.text.lowercased())
  }
}

extension Character {
  fileprivate var isWordCharacter: Bool { isLetter || isNumber }
}

extension Substring {
  /// Whether it can separate the groups of an address.
  fileprivate var isSeparator: Bool { [":", "-", ".", "_", " "].contains(self) }

  /// Whether it is between the name of a field and its value in a URL, in JSON or in a list: `=`, `":"`.
  fileprivate var isAssignment: Bool {
    first { !$0.isWhitespace && !"\"'\\".contains($0) }.map { "=:".contains($0) } ?? false
  }
}

extension String {
  /// Decodes percent-encoded characters of ASCII, as in URLs; leaves everything else as it is.
  fileprivate var percentDecoded: String {
    var parts = split(separator: "%", omittingEmptySubsequences: false)[...]
    var decoded = parts.popFirst().map(String.init) ?? ""
    for part in parts {
      let digits = part.prefix(2)
      if digits.count == 2, digits.allSatisfy(\.isHexDigit), let code = UInt8(digits, radix: 16), code < 0x80
      {
        decoded.unicodeScalars.append(Unicode.Scalar(code))
        decoded += part.dropFirst(2)
      } else {
        decoded += "%" + part
      }
    }
    return decoded
  }
}
