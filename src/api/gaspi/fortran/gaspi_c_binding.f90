! The name under which the specification's examples use the calls and the kinds of arguments.
module gaspi_c_binding
  use GASPI
  use GASPI_types
end module
