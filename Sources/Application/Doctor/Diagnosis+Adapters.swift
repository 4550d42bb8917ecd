import Bluetooth
import Model
import Reporting

/// Checks of the adapters. The trap numbers are those of docs/internals/bluez.md.
extension Diagnosis {
  /// For each adapter that BlueZ has.
  static let adapterChecks: [DoctorCheck<(item: RadioFacts.Item, facts: Diagnosis)>] = [
    DoctorCheck("adapter") { item, _ in
      let (adapter, hardware) = (item.adapter, item.adapter.hardware)
      let parts = [
        item.description?.title, adapter.id.address.description, hardware?.title ?? "controller unknown",
        hardware?.path.map { "at \($0)" }, adapter.state == .ready ? "switched on" : "not switched on",
        item.links.map { $0.count.counted("link") } ?? "links unknown",
      ]
      return Finding(
        .ok, about: adapter.name, "\(adapter.name): \(parts.compactMap(\.self).joined(separator: ", ")).")
    },
    DoctorCheck("adapter_off") { item, facts in
      let adapter = item.adapter
      guard adapter.state != .ready, item.block == nil || item.block == RadioBlock.none else { return nil }
      let object = "/org/bluez/\(adapter.nameOnHost)"
      return Finding(
        facts.unusable, about: adapter.name, "\(adapter.name) is switched off.",
        command: "busctl set-property org.bluez \(object) org.bluez.Adapter1 Powered b true")
    },
    DoctorCheck("adapter_blocked") { item, facts in
      let name = item.adapter.name
      guard item.adapter.state != .ready, let block = item.block, block != RadioBlock.none else { return nil }
      guard block == .hardware else {
        return Finding(
          facts.unusable, about: name, "\(name) is blocked by rfkill.", command: "rfkill unblock bluetooth")
      }
      return Finding(
        facts.unusable, about: name, "\(name) is blocked by a switch of the computer.",
        advice: "Use the computer's wireless switch or flight mode key; `rfkill list` shows the state.")
    },
    DoctorCheck("foreign_scan") { item, facts in
      let name = item.adapter.name
      guard item.adapter.isScannedByOthers else { return nil }
      // Traps 16 and 60: during another program's scan a connection takes up to 10 s longer, and the bus
      // names that program only to root.
      let clients = item.clients.map(\.visible).joined(separator: ", ")
      let (isNamed, isHere) = (!clients.isEmpty, facts.name == nil)
      let stop = "Stop that program, often `bluetoothctl` or the desktop's Bluetooth settings."
      return Finding(
        .warning, about: name,
        "Another program scans with \(name)\(isNamed ? ": \(clients)" : ""); each connection takes up to 10 s longer.",
        advice: isNamed ? "Stop it." : isHere ? "\(stop) This command names it:" : stop,
        command: !isNamed && isHere ? "sudo roboprov doctor" : nil)
    },
    DoctorCheck("links_held") { item, facts in
      let (adapter, name) = (item.adapter, item.adapter.name)
      guard let links = item.links, let first = links.first else { return nil }
      // Traps 29 and 30: a link outlives the program that made it, and a controller holds five to seven.
      let isFull = links.count >= (facts.building?.building.slots(of: adapter) ?? 5)
      let shown = links.prefix(8).map(\.description).joined(separator: ", ") + (links.count > 8 ? ", …" : "")
      return Finding(
        isFull ? .warning : .note, about: name,
        "\(name) holds links to \(shown)\(isFull ? ", and may have no free slot." : ".")",
        advice: "`apply` disconnects the building's devices. This command disconnects one:",
        command: "bluetoothctl disconnect \(first)")
    },
  ]

  /// For all adapters together.
  static let radioChecks: [DoctorCheck<Diagnosis>] = [
    DoctorCheck(each: "adapter_not_in_bluez") { facts in
      facts.onlyInKernel.map { name in
        Finding(
          facts.unusable, about: name, "The kernel has \(name), but bluetoothd does not.",
          advice: "If that does not help, unplug it and plug it in again.",
          command: "sudo systemctl restart bluetooth")
      }
    },
    DoctorCheck("no_adapter") { facts in
      guard let radio = facts.radio, radio.failure == nil, radio.localFailure == nil, facts.name == nil,
        facts.listed.isEmpty, facts.onlyInKernel.isEmpty
      else { return nil }
      return Finding(
        radio.ready.isEmpty ? .error : .note, "There is no Bluetooth adapter.",
        advice: "Plug one in; `lsusb` lists the USB devices of this computer.")
    },
    // If the hub fails, all rooms of its adapters lose their links at the same moment.
    DoctorCheck(each: "shared_usb_hub") { facts in
      let controllers = facts.bluetooth?.controllers ?? []
      return Set(controllers.compactMap(\.hub)).sorted().compactMap { hub in
        let names = controllers.filter { $0.hub == hub }.map(\.name)
        guard names.count > 1 else { return nil }
        return Finding(
          .note, about: hub,
          "\(names.joined(separator: " and ")) are behind one USB hub (\(hub)): if it loses power, all of them are lost.",
          advice: "Use a hub with its own power supply, or other ports of the computer.")
      }
    },
    DoctorCheck(each: "wifi_on_same_chip") { facts in
      let wifi = facts.bluetooth?.wifi.filter(\.isUp) ?? []
      return (facts.bluetooth?.controllers ?? []).flatMap { controller in
        wifi.filter { Diagnosis.isProbablyOneChip(controller, $0) }.map { wifi in
          Finding(
            .warning, about: controller.name,
            "\(controller.name) is probably on one chip with \(wifi.name)\(wifi.driver.map { " (\($0))" } ?? ""), which has a "
              + "WiFi connection: they share one radio, and scans lose advertisements.",
            // A gateway may be reached by its WiFi.
            advice: facts.name == nil
              ? "Use another adapter (--adapter), or switch WiFi off during runs and use a network cable:"
              : "Use another adapter there, or a network cable instead of WiFi.",
            command: facts.name == nil ? "sudo rfkill block wifi" : nil)
        }
      }
    },
  ]

  /// The kernel's adapters that BlueZ does not have.
  private var onlyInKernel: [String] {
    let known = listed.map(\.adapter.nameOnHost)
    return (bluetooth?.controllers ?? []).map(\.name).filter { !known.contains($0) }
  }

  /// Whether a controller and a WiFi adapter are parts of one USB device, or come from a maker of combined
  /// chips: by the USB vendor, or the serial bus of single-board computers, and the WiFi driver. Realtek is
  /// not in the list, because its separate dongles are as common as its combined chips.
  private static func isProbablyOneChip(_ controller: ControllerFacts, _ wifi: WiFiFacts) -> Bool {
    if let device = controller.hardware?.path?.split(separator: "/").dropLast(),
      controller.hardware?.bus == "usb",
      let other = wifi.usbPath?.split(separator: "/").dropLast(), device.count > 1
    {
      return device == other
    }
    let vendor = controller.hardware?.identifier?.prefix { $0 != ":" }
    guard let driver = wifi.driver else { return false }
    return switch vendor {
    case "8087": driver == "iwlwifi"
    case "0cf3": driver.hasPrefix("ath")
    case "0e8d": driver.hasPrefix("mt79")
    case nil: controller.hardware?.bus == "serial" && driver == "brcmfmac"
    default: false
    }
  }
}
