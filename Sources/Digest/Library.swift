import CGcrypt

/// libgcrypt, which must be initialised once before it is used, by one thread (manual, "Initializing the library").
enum Library {
  /// Initialises it unless that is done; the others wait until it is.
  static func initialise() { _ = once }

  /// A static is made once, whoever asks first.
  private static let once: Void = {
    // Also libsystemd uses it, to which libdbus is linked. What we call has been there since 1.6, and the linker has
    // seen to it that it is there now.
    if cgcrypt_is_initialised() != 0 { return }
    precondition(gcry_check_version("1.6.0") != nil, "libgcrypt is older than 1.6.0")
    check(cgcrypt_finish_initialisation())
  }()

  /// The calls that are made here fail only where memory ran out or we have passed something wrong.
  static func check(_ error: gcry_error_t) {
    precondition(error == 0, "libgcrypt: error \(error)")
  }
}
